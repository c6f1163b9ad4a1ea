import { execFile } from "node:child_process";
import { chmod, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { Workspace } from "../../src/workspace/index.ts";
import { recordTurns } from "../support/record-turns.ts";
import { temporaryDirectory } from "./support/skein.ts";

const run = promisify(execFile);
const SKEIN = resolve("dist/cli/main.js");
const COUNTER = pathToFileURL("test/support/count-files.mjs").href;

/**
 * How many files of code each command loads, and how many processes it starts. Both are what its start costs, on any machine. Where one
 * grew, look at what the command loads that it does not use; where it cannot be otherwise, or shrank, write the new number.
 */
const COSTS: Readonly<Record<string, readonly [files: number, processes: number]>> = {
  "--help": [3, 0],
  "log --help": [3, 0],
  "explore --help": [3, 0],
  log: [31, 0],
  tree: [31, 0],
  "show @": [23, 1],
  "diff @": [25, 1],
  sessions: [19, 0],
  undo: [23, 1],
};

it("loads no more files and starts no more processes for a command than are counted here", async () => {
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
  const counted: Record<string, readonly [number, number]> = {};
  for (const command of Object.keys(COSTS)) counted[command] = await count(command);
  expect(counted).toEqual(COSTS);
});

/** Runs commands in a process whose only program is a git that notes that it was started. */
async function countingCommands(root: string, { cwd, home }: { readonly cwd: string; readonly home: string }) {
  const [bin, loaded, started] = [join(root, "bin"), join(root, "loaded"), join(root, "started")];
  await mkdir(bin);
  const { stdout } = await run("/bin/sh", ["-c", "command -v git"]);
  await writeFile(join(bin, "git"), `#!/bin/sh\necho "$*" >> '${started}'\nexec ${stdout.trim()} "$@"\n`);
  await chmod(join(bin, "git"), 0o755);
  const env = { PATH: bin, HOME: root, SKEIN_HOME: home, SKEIN_TEST_LOADED: loaded };
  return async (command: string): Promise<readonly [number, number]> => {
    await Promise.all([loaded, started].map((path) => rm(path, { force: true })));
    await run(process.execPath, ["--import", COUNTER, SKEIN, ...command.split(" ")], { cwd, env });
    return [await countLines(loaded), await countLines(started)];
  };
}

async function countLines(path: string): Promise<number> {
  const text = await readFile(path, "utf8").catch(() => "");
  return text.split("\n").length - 1;
}
