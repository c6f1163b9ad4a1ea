import { execFile, execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { chmod, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { Workspace } from "../../src/workspace/index.ts";
import { recordTurns } from "../support/record-turns.ts";
import { temporaryDirectory } from "./support/skein.ts";

const run = promisify(execFile);
const PIN_FILE = "test/pins/startup-cost.json";
const SKEIN = resolve("dist/cli/main.js");
const COUNTER = pathToFileURL("test/support/count-files.mjs").href;

const COMMANDS = ["--help", "log --help", "explore --help", "log", "tree", "show @", "diff @", "sessions", "undo"];

/** By command, the files of code that it loads and the processes that it starts. */
type Costs = Readonly<Record<string, { readonly files: number; readonly processes: number }>>;

it("loads no more files and starts no more processes for a command than are pinned", async () => {
  const root = await temporaryDirectory();
  const [cwd, home] = [join(root, "app"), join(root, "home")];
  await mkdir(cwd);
  await writeFile(join(cwd, "README.md"), "# An app\n");
  {
    await using workspace = await Workspace.open(cwd, { home });
    const turns = await recordTurns(workspace, [{ prompt: "one" }, { prompt: "two" }]);
    const { id: stateId = "", conversationId } = turns.at(-1) ?? {};
    await workspace.states.setHead({ stateId, conversationId });
  }
  const count = await countingCommands(root, { cwd, home });
  // The second time, what is remembered of states and sessions is there.
  for (const command of ["log", "sessions"]) await count(command);
  const counted: Record<string, Costs[string]> = {};
  for (const command of COMMANDS) counted[command] = await count(command);
  // Both are what a command's start costs, on any machine. Where one grew, look at what is loaded and not used before you take it as the pin.
  expect(takePins(counted)).toEqual(counted);
});

/** Runs commands in a process whose only program is a git that notes that it was started. */
async function countingCommands(root: string, { cwd, home }: { readonly cwd: string; readonly home: string }) {
  const [bin, loaded, started] = [join(root, "bin"), join(root, "loaded"), join(root, "started")];
  await mkdir(bin);
  const { stdout } = await run("/bin/sh", ["-c", "command -v git"]);
  await writeFile(join(bin, "git"), `#!/bin/sh\necho "$*" >> '${started}'\nexec ${stdout.trim()} "$@"\n`);
  await chmod(join(bin, "git"), 0o755);
  const env = { PATH: bin, HOME: root, SKEIN_HOME: home, SKEIN_TEST_LOADED: loaded };
  return async (command: string): Promise<Costs[string]> => {
    await Promise.all([loaded, started].map((path) => rm(path, { force: true })));
    await run(process.execPath, ["--import", COUNTER, SKEIN, ...command.split(" ")], { cwd, env });
    return { files: await countLines(loaded), processes: await countLines(started) };
  };
}

function takePins(counted: Costs): Costs {
  if (process.env["UPDATE_PINS"] === "1") {
    if (process.env["CI"]) throw new Error("UPDATE_PINS is for people: in CI the pins are compared, never rewritten");
    writeFileSync(PIN_FILE, `${JSON.stringify(counted, null, 2)}\n`);
    execFileSync("node_modules/.bin/oxfmt", [PIN_FILE]);
  }
  return JSON.parse(readFileSync(PIN_FILE, "utf8")) as Costs;
}

async function countLines(path: string): Promise<number> {
  const text = await readFile(path, "utf8").catch(() => "");
  return text.split("\n").length - 1;
}
