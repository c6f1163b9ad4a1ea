import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";
import { scriptedTeam, teamItem } from "../../test/support/scripted-team.ts";
import { startOfflineAgent, type OfflineAgent } from "../testing/index.ts";
import { TraceIndex, verifyWorkspace } from "../trace/internal.ts";
import { Workspace } from "../workspace/index.ts";

const run = promisify(execFile);

let root: string;
let agent: OfflineAgent;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "skein-team-"));
  await mkdir(join(root, "app"));
  await writeFile(join(root, "app/base.txt"), "one\n");
  agent = await startOfflineAgent(
    scriptedTeam({
      plans: [{ items: [teamItem("a"), teamItem("b", { dependencies: ["a"] })] }],
      work: { a: [["echo bad > a.txt"], ["echo good > a.txt"]], b: [["echo b > b.txt"]] },
    }),
  );
});

afterEach(async () => {
  await agent.close();
  await rm(root, { recursive: true, force: true, maxRetries: 9 });
});

async function host(what: object): Promise<{ readonly lines: readonly string[]; readonly signal: unknown }> {
  const [directory, home] = [join(root, "app"), join(root, "home")];
  const given = JSON.stringify({ directory, home, options: agent.options, ...what });
  return await run(process.execPath, ["test/support/team-host.mjs", given]).then(
    ({ stdout }) => ({ lines: stdout.trim().split("\n"), signal: undefined }),
    (error: { readonly stdout: string; readonly signal: unknown; readonly stderr: string }) => ({
      lines: [...error.stdout.trim().split("\n"), error.stderr],
      signal: error.signal,
    }),
  );
}

/** What was recorded: each prompt that was answered, and how often. */
async function recorded(): Promise<Readonly<Record<string, number>>> {
  await using workspace = await Workspace.open(join(root, "app"), { home: join(root, "home") });
  expect((await verifyWorkspace(workspace)).problems).toEqual([]);
  await using index = await TraceIndex.open(workspace);
  const turns = await index.query({ kind: "turn", outcome: "completed", limit: 100 });
  const counts: Record<string, number> = {};
  for (const { turn } of turns) {
    const [line = ""] = (turn?.prompt ?? "").split("\n");
    counts[line] = (counts[line] ?? 0) + 1;
  }
  return counts;
}

const ONCE_EACH = {
  "Plan the work of a team: Make it good": 1,
  "Do one item of a plan: A (a)": 1,
  "Not approved yet: A": 1,
  "Review the work on an item: A (a)": 1,
  "Do one item of a plan: B (b)": 1,
  "Review the work on an item: B (b)": 1,
  A: 1,
  B: 1,
};

test.each([
  ["team-start", 1],
  ["plan-made", 1],
  ["item-started", 1],
  ["worker-finished", 1],
  ["evidence-gathered", 1],
  ["verdict", 1],
  ["worker-finished", 2],
  ["verdict", 2],
  ["phase-changed", 3],
  ["item-merged", 1],
  ["item-ended", 1],
  ["evidence-gathered", 3],
  ["item-merged", 2],
])("killed at %s %i it goes on where it was, and pays for no completed turn twice", async (killAt, count) => {
  const killed = await host({ killAt, count });
  expect(killed.signal).toBe("SIGKILL");
  const { lines } = await host({ resumes: true });
  expect(lines.at(-1)).toBe("outcome completed a,b");
  const read = async (name: string): Promise<string> => await readFile(join(root, "app", name), "utf8");
  expect([await read("a.txt"), await read("b.txt")]).toEqual(["good\n", "b\n"]);
  expect(await recorded()).toEqual(ONCE_EACH);
});
