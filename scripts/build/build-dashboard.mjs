import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";

/** What the page is made of: its own folder, the types that it shares with the server, and the packages of both. */
const SOURCES = ["dashboard", "src/monitor/api-types.ts", "package-lock.json"];

/**
 * Builds the page that `skein serve` shows, with Vite; whether that went well. What was built from the very same files is kept: `stamp` holds their hash,
 * and is written last.
 */
export function buildDashboard(root, folder, stamp) {
  const wanted = hashOf(root);
  if (existsSync(join(folder, "index.html")) && existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return true;
  rmSync(stamp, { force: true });
  const vite = join("node_modules", "vite", "bin", "vite.js");
  const args = [vite, "build", "dashboard", "--outDir", folder, "--emptyOutDir"];
  const { status, error } = spawnSync(process.execPath, args, { cwd: root, stdio: "inherit" });
  if (error) throw error;
  if (status === 0) writeFileSync(stamp, wanted);
  return status === 0;
}

function hashOf(root) {
  const hash = createHash("sha256");
  for (const path of SOURCES.flatMap((source) => listFiles(join(root, source)))) {
    const bytes = readFileSync(path);
    hash.update(`${relative(root, path)}\0${bytes.length}\0`).update(bytes);
  }
  return hash.digest("hex");
}

function listFiles(path) {
  if (statSync(path).isFile()) return [path];
  const entries = readdirSync(path, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();
}
