// Compiles the examples and runs each one. An example checks itself and exits non-zero when it is wrong.
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

const TIMEOUT_MS = 120_000;
const root = fileURLToPath(new URL("..", import.meta.url));
const run = (command, args) =>
  spawnSync(command, args, { cwd: root, encoding: "utf8", timeout: TIMEOUT_MS, killSignal: "SIGKILL" });
const node = (...args) => run(process.execPath, args);

const files = readdirSync(new URL("../examples", import.meta.url));
const scripts = files.filter((file) => file.endsWith(".sh")).toSorted();
const names = files
  .filter((file) => file.endsWith(".ts"))
  .map((file) => file.slice(0, -".ts".length))
  .toSorted();
if (names.length === 0) fail("there is no example in examples/");

const compiled = node("node_modules/typescript/bin/tsc", "-p", "examples");
if (compiled.status !== 0) fail(`the examples do not compile:\n${compiled.stdout}${compiled.stderr}`);

for (const name of names) report(name, () => node("--enable-source-maps", `build/examples/${name}.js`));
for (const name of scripts) report(name, () => run("bash", [`examples/${name}`]));

function report(name, start) {
  const startedAt = performance.now();
  const ran = start();
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  console.log(`${ran.status === 0 ? "✓" : "✗"} ${name} ${seconds} s`);
  if (ran.status === 0) return;
  console.log(`${ran.stdout}${ran.stderr}${ran.error ? `${ran.error.message}\n` : ""}`.trimEnd());
  process.exitCode = 1;
}

function fail(message) {
  console.error(message);
  process.exit(1);
}
