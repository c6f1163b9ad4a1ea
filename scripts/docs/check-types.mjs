import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

const OPTIONS = {
  target: "es2023",
  lib: ["es2023", "esnext.disposable"],
  module: "nodenext",
  types: ["node"],
  strict: true,
  allowJs: true,
  checkJs: true,
  skipLibCheck: true,
  rootDir: "modules",
  outDir: "compiled",
};

/** A parameter without a type, which JavaScript cannot give it. */
const UNTYPED = /^TS70(?:06|31):/;

/** Compiles all modules at once, as a user's project would; gives what is wrong, by the line of the page. */
export function checkTypes(folder, modules, compiler) {
  if (modules.length === 0) return [];
  for (const { file, lines } of modules) {
    writeFileSync(join(folder, "modules", file), lines.map(({ text }) => text).join("\n"));
  }
  const tsconfig = { compilerOptions: OPTIONS, include: ["modules"] };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(tsconfig));
  const { stdout, status } = spawnSync(process.execPath, [compiler, "-p", folder, "--pretty", "false"], {
    cwd: folder,
    encoding: "utf8",
  });
  const problems = stdout.split("\n").flatMap((line) => {
    const found = /^modules\/([^(]+)\((\d+),\d+\): error (.*)$/.exec(line);
    if (!found) return [];
    const module = modules.find(({ file }) => file === found[1]);
    return [{ module, line: module.lines[Number(found[2]) - 1]?.line ?? 0, text: found[3] }];
  });
  if (status !== 0 && problems.length === 0) throw new Error(`The compiler failed:\n${stdout}`);
  return problems
    .filter(({ module, text }) => module.language !== "js" || !UNTYPED.test(text))
    .map(({ module, line, text }) => ({ page: module.page, line, text }));
}
