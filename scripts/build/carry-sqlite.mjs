import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const MODULE = join("dist", "index.mjs");

/**
 * Copies what runs of SQLite's package: its module, its binaries, its licence. As a dependency it would come with an install script,
 * at which pnpm ends with exit 1 where scripts are blocked.
 */
export function carrySqlite(root, folder) {
  const source = join(root, "node_modules", "@photostructure", "sqlite");
  const manifest = readFileSync(join(source, "package.json"), "utf8");
  const { name, version, license, engines } = JSON.parse(manifest);
  const carried = JSON.stringify({ name, version, license, engines, private: true, type: "module" }, null, 2);
  // Written last: with it, the copy is whole.
  const written = join(folder, "package.json");
  if (existsSync(written) && readFileSync(written, "utf8") === carried) return;

  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, dirname(MODULE)), { recursive: true });
  // Its source map stays behind, and so does the line that names it.
  const text = readFileSync(join(source, MODULE), "utf8");
  writeFileSync(join(folder, MODULE), text.replace(/\n\/\/# sourceMappingURL=.*\n?$/, "\n"));
  copyFileSync(join(source, "LICENSE"), join(folder, "LICENSE"));
  copyFolder(join(source, "prebuilds"), join(folder, "prebuilds"));
  writeFileSync(written, carried);
}

function copyFolder(from, to) {
  mkdirSync(to, { recursive: true });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) copyFolder(source, target);
    else copyFileSync(source, target);
  }
}
