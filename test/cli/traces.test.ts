import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { tracedWorkspace, write } from "./support/traced-workspace.ts";

interface Log {
  readonly states: readonly { readonly state_id: string; readonly kind: string; readonly is_here: boolean }[];
}

/** The user's files: Claude Code may leave a folder of its own. */
async function filesIn(directory: string): Promise<string[]> {
  return (await readdir(directory)).filter((name) => name !== ".claude").toSorted();
}

it("tells a story: turns, their log, a checkpoint, a restore, an undo and a branch", { timeout: 180_000 }, async () => {
  const { cwd, skein, data, error, turn } = await tracedWorkspace();
  const first = await turn(write("a.txt", "one\n"));
  const second = await turn(write("b.txt", "two\n"), "--continue");
  expect(second).toMatchObject({
    conversation_id: first.conversation_id,
    session_id: first.session_id,
    files: { created: ["b.txt"], modified: [], deleted: [], renamed: [] },
  });

  const log = await data<Log>("log");
  expect(log.states.map(({ state_id: id, is_here: isHere }) => [id, isHere])).toEqual([
    [second.state_id, true],
    [first.state_id, false],
  ]);
  expect(await data("show", "@")).toMatchObject({
    state_id: second.state_id,
    parent_id: first.state_id,
    turn: { prompt: write("b.txt", "two\n"), outcome: "completed", tools: [{ tool: "Write", is_error: false }] },
  });
  expect((await skein("diff", "@~1", "@")).stdout).toBe("  + b.txt\n");

  await writeFile(join(cwd, "c.txt"), "by hand\n");
  const { state_id: checkpoint } = await data("checkpoint", "with-c");
  expect(await error("restore", first.state_id)).toMatchObject({
    kind: "conflict",
    target: "c.txt",
    conflicts: [{ path: "c.txt", why: "unrecorded" }],
  });
  expect(await filesIn(cwd)).toEqual(["a.txt", "b.txt", "c.txt"]);
  expect(await data("restore", first.state_id.slice(0, 12), "--yes")).toEqual({
    state_id: first.state_id,
    subject: write("a.txt", "one\n").slice(0, 100),
    dry_run: false,
    files: { created: [], modified: [], deleted: ["b.txt", "c.txt"], renamed: [] },
    kept: [],
    kept_since: [],
    merged: [],
    conflicts: [],
    unrecorded: ["c.txt"],
    unheld: [],
    git: "absent",
    git_left_out: null,
    way_back: checkpoint,
  });
  expect(await filesIn(cwd)).toEqual(["a.txt"]);

  expect(await error("run", "Hi", "--offline", "direct", "--from", "with-c")).toMatchObject({
    kind: "usage",
    target: "with-c",
    hint: expect.stringContaining("skein restore") as string,
  });
  const third = await turn(write("d.txt", "four\n"), "--from", first.state_id);
  expect(third.conversation_id).not.toBe(first.conversation_id);
  const graph = await skein("log", "--graph");
  expect(graph.stdout.split("\n").map((line) => line.slice(2, 5).trimEnd())).toEqual([
    "",
    "✓",
    "│ ✎",
    "│ ✓",
    "├─╯",
    "✓",
    "○",
    "",
    "3 t",
    "",
  ]);

  expect(await data("undo")).toMatchObject({ state_id: first.state_id, way_back: third.state_id });
  expect(await filesIn(cwd)).toEqual(["a.txt"]);
  const branch = await data<{ directory: string }>("branch", "with-c");
  expect(branch).toEqual({ state_id: checkpoint, directory: `${cwd}-${String(checkpoint).slice(0, 12)}`, origin: cwd });
  expect(await filesIn(branch.directory)).toEqual(["a.txt", "b.txt", "c.txt"]);
  const there = await turn(write("e.txt", "five\n"), "--continue", "--cwd", branch.directory);
  expect(there.conversation_id).not.toBe(third.conversation_id);
  expect(await filesIn(cwd)).toEqual(["a.txt"]);
  expect(await readFile(join(branch.directory, "c.txt"), "utf8")).toBe("by hand\n");
});
