// Everything that must hold before a commit; CI runs the same. `--only lint,types` runs some of it.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Later steps need what `build` makes. Architecture and exports are pinned by tests. */
const STEPS = {
  lock: ["npm", "ci", "--dry-run", "--ignore-scripts"],
  build: ["node", "scripts/build.mjs"],
  format: ["oxfmt", "--check"],
  lint: ["npm", "run", "--silent", "lint"],
  types: ["tsc", "--noEmit"],
  page: ["tsc", "-p", "dashboard", "--noEmit"],
  browser: ["tsc", "-p", "test/browser", "--noEmit"],
  tests: ["npm", "test", "--silent"],
  reference: ["node", "scripts/write-reference.mjs", "--check"],
  knip: ["knip", "--no-progress", "--treat-config-hints-as-errors"],
  publint: ["publint", "--strict"],
  attw: ["attw", "--pack", ".", "--profile", "esm-only"],
  screens: ["node", "scripts/screens.mjs"],
  docs: ["node", "scripts/check-docs.mjs"],
  examples: ["node", "scripts/run-examples.mjs"],
};

const failed = [];
for (const name of chosenSteps()) {
  if (name === "tests" && process.env.SKEIN_TESTS_DONE === "1") {
    console.log("- tests     left out: SKEIN_TESTS_DONE says that they have passed");
    continue;
  }
  const startedAt = performance.now();
  const { code, output } = await run(STEPS[name]);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  console.log(`${code === 0 ? "✓" : "✗"} ${name.padEnd(9)} ${seconds} s`);
  if (code === 0) continue;
  failed.push(name);
  process.stdout.write(`${output.trimEnd()}\n`);
}
if (failed.length > 0) {
  console.log(`\nfailed: ${failed.join(", ")}`);
  process.exitCode = 1;
}

function chosenSteps() {
  const { only } = parseArgs({ options: { only: { type: "string" } } }).values;
  if (only === undefined) return Object.keys(STEPS);
  const names = only.split(",");
  const unknown = names.filter((name) => !Object.hasOwn(STEPS, name));
  if (unknown.length === 0) return names;
  console.error(`no such step: ${unknown.join(", ")}; there are ${Object.keys(STEPS).join(", ")}`);
  process.exit(1);
}

/** Runs a command of this package or of the system; resolves with its exit code and all that it wrote. */
function run([command, ...args]) {
  return new Promise((resolve) => {
    const path = `${join(root, "node_modules", ".bin")}:${process.env.PATH}`;
    const child = spawn(command, args, { cwd: root, env: { ...process.env, PATH: path } });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text) => (output += text));
    }
    child.on("error", (error) => resolve({ code: 1, output: error.message }));
    child.on("close", (code) => resolve({ code: code ?? 1, output }));
  });
}
