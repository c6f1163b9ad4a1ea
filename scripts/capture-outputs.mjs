// Runs commands against the embedded model, in a project of its own, and keeps what they print for the pages of docs/reference:
// scripts/reference/outputs/NAME.txt. For the commands that `npm run screens` does not show, because they change the project, run agents or
// describe the machine. Renew them with `node scripts/build.mjs && node scripts/capture-outputs.mjs`, and look at the diff.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const SESSION = [
  { name: "run", words: ["run", "Build a TODO app", "--offline", "todo"] },
  { name: "checkpoint", words: ["checkpoint", "works"] },
  { name: "branch", words: ["branch", "works"] },
  { words: ["run", "Add tests", "--continue", "--offline", "todo"] },
  { name: "explore", words: ["explore", "--prompt", "Build the UI", "--n", "2", "--offline", "todo"] },
  { name: "save", words: ["save", "@", "work.bundle"] },
  { name: "load", words: ["load", "../project/work.bundle"], isElsewhere: true },
  { name: "gc", words: ["gc"] },
];

const repository = fileURLToPath(new URL("..", import.meta.url));
const outputs = join(repository, "scripts", "reference", "outputs");
const root = mkdtempSync(join(realpathSync(tmpdir()), "skein-outputs-"));
const [project, elsewhere, home] = ["project", "elsewhere", "home"].map((name) => join(root, name));
const ids = new Map();

try {
  for (const folder of [project, elsewhere, home, outputs]) mkdirSync(folder, { recursive: true });
  for (const { name, words, isElsewhere } of SESSION) {
    const text = skein(words, isElsewhere ? elsewhere : project);
    const command = `skein ${words.map((word) => (word.includes(" ") ? `"${word}"` : word)).join(" ")}`;
    if (name) writeFileSync(join(outputs, `${name}.txt`), `${command}\n${plain(text)}`);
  }
} finally {
  rmSync(root, { recursive: true, force: true });
}

function skein(words, cwd) {
  const env = { PATH: process.env.PATH, HOME: home, SKEIN_HOME: join(root, "data"), NO_COLOR: "1", LANG: "C.UTF-8" };
  const found = spawnSync(process.execPath, [join(repository, "dist", "cli", "main.js"), ...words], {
    cwd,
    env,
    encoding: "utf8",
  });
  if (found.status !== 0) throw new Error(`skein ${words.join(" ")} ended with ${found.status}: ${found.stderr}`);
  return found.stdout;
}

/** Ids are numbered as they appear, and the folders have names of a person's. */
function plain(text) {
  const named = text
    .replaceAll(project, "/home/ada/project")
    .replaceAll(elsewhere, "/home/ada/elsewhere")
    .replaceAll(join(root, "data"), "/home/ada/.skein");
  const shown = named.replaceAll(
    /\b[0-9a-f]{40}\b|\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\b[0-9a-f]{12}\b/gu,
    (id) => {
      const digits = id.includes("-") ? 8 : 12;
      const known = id.slice(0, digits);
      if (!ids.has(known)) ids.set(known, `${ids.size + 1}`.padStart(digits, "0"));
      return ids.get(known) + id.slice(digits).replaceAll(/[0-9a-f]/gu, "0");
    },
  );
  return `${shown
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n")
    .trim()}\n`;
}
