import { appendFile, mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { branch, checkpoint } from "../../src/cli/commands/states/checkpoint-branch.ts";
import { diff } from "../../src/cli/commands/states/diff-compare.ts";
import { log } from "../../src/cli/commands/states/log-tree.ts";
import { restore } from "../../src/cli/commands/states/restore-recover.ts";
import { show } from "../../src/cli/commands/states/show.ts";
import { Workspace } from "../../src/workspace/index.ts";
import { tracedWorkspace, write } from "./support/traced-workspace.ts";

const ID = expect.stringMatching(/^[\da-f]{40}$/u) as string;
const SHORT = /[\da-f]{12}/gu;

describe("checkpoint", () => {
  it("names the files as they are, moves a name only when told, and takes it away", async () => {
    const { cwd, skein, data, error } = await tracedWorkspace();
    await writeFile(join(cwd, "a.txt"), "one\n");
    const first = checkpoint.data.parse(await data("checkpoint", "good"));
    expect(first).toEqual({ name: "good", state_id: ID, action: "set" });
    await writeFile(join(cwd, "a.txt"), "two\n");
    expect(await error("checkpoint", "good")).toEqual({
      kind: "usage",
      operation: "checkpoint",
      target: "good",
      retryable: false,
      message: `The checkpoint good already exists: ${first.state_id.slice(0, 12)}`,
      hint: "Choose another name, or move this one with --replace.",
    });
    const moved = await skein("checkpoint", "good", "--replace");
    expect(moved.stdout.replace(SHORT, "{id}")).toBe("good is {id}\nCome back to it: skein restore good\n");
    expect(await data("checkpoint", "first", "good~1")).toEqual({ ...first, name: "first" });
    expect(await data("checkpoint", "first", "--delete")).toEqual({ ...first, name: "first", action: "deleted" });
    expect(await error("checkpoint", "first", "--delete")).toMatchObject({ kind: "state_not_found", target: "first" });
    expect(await error("checkpoint", "not a name")).toMatchObject({ kind: "usage", target: "not a name" });
  });
});

describe("diff", () => {
  it("lists files with what became of them, counts lines, and prints a patch", async () => {
    const { cwd, skein, data } = await tracedWorkspace();
    for (const name of ["same", "changed", "gone", "moved ä"]) await writeFile(join(cwd, name), `${name}\n1\n2\n3\n`);
    const { state_id: from } = checkpoint.data.parse(await data("checkpoint", "start"));
    await appendFile(join(cwd, "changed"), "4\n");
    await rm(join(cwd, "gone"));
    await rename(join(cwd, "moved ä"), join(cwd, "moved ö"));
    await mkdir(join(cwd, "empty"));
    await writeFile(join(cwd, "new\u001b[31m"), "x\n");
    await writeFile(join(cwd, "data.bin"), Buffer.from([0, 1, 2, 255]));

    expect((await skein("diff", "start")).stdout).toBe(
      "  ~ changed\n  + data.bin\n  + empty/\n  - gone\n  → moved ö  was moved ä\n  + new\n",
    );
    expect((await skein("diff", "start", "--stat")).stdout).toBe(`  File        Added  Removed
  ~ changed      +1       -0
  + data.bin                  not text
  + empty/                    folder
  - gone         +0       -4
  → moved ö      +0       -0
  + new          +1       -0
  ──────────  ─────  ───────
  6 files        +2       -4
`);
    const told = diff.data.parse(await data("diff", "start", "--patch"));
    expect(told).toMatchObject({ from, to: null, patch: expect.stringContaining("+++ b/changed\n@@ ") as string });
    expect((await skein("diff", "start", "--patch")).stdout).toBe(told.patch);
    expect((await skein("diff", "start", "start")).stdout).toBe("No difference\n");
  });
});

describe("restore", () => {
  it("tells what would change, changes it, and names the way back", async () => {
    const { cwd, skein, data, error } = await tracedWorkspace();
    await writeFile(join(cwd, ".gitignore"), "out\n");
    const { state_id: id } = checkpoint.data.parse(await data("checkpoint", "start"));
    await writeFile(join(cwd, "a.txt"), "one\n");
    await writeFile(join(cwd, "out"), "kept\n");

    const dry = restore.data.parse(await data("restore", "start", "--dry-run"));
    expect(dry).toMatchObject({ dry_run: true, files: { deleted: ["a.txt"] }, unrecorded: ["a.txt"], way_back: null });
    expect((await readdir(cwd)).toSorted()).toEqual([".gitignore", "a.txt", "out"]);

    expect(await error("restore", "start")).toEqual({
      kind: "conflict",
      operation: "restore",
      target: "a.txt",
      retryable: false,
      message: "The restore would delete or overwrite work that no recorded turn made: a.txt",
      hint: "Nothing was changed. --yes restores anyway, with a way back; skein undo takes back a turn and keeps later changes",
      conflicts: [{ path: "a.txt", why: "unrecorded" }],
    });
    expect((await data<{ states: unknown[] }>("log", "--all")).states).toHaveLength(1);
    const { code, stdout } = await skein("restore", "start", "--yes");
    expect(code).toBe(0);
    expect(stdout.replace(SHORT, "{id}")).toBe(`Restored {id}  Start of a conversation

  Files    1 deleted
           - a.txt
  By hand  a.txt
  Back     skein restore {id}
`);
    expect(stdout).toContain(`Restored ${id.slice(0, 12)}`);
    expect((await readdir(cwd)).toSorted()).toEqual([".gitignore", "out"]);
    const back = /skein restore (\w+)/u.exec(stdout)?.[1] ?? "";
    expect(await data("restore", back)).toMatchObject({ files: { created: ["a.txt"] }, way_back: id });
    expect(await error("restore", "nowhere")).toMatchObject({ kind: "state_not_found", target: "nowhere" });
  });

  it("refuses while somebody else has the directory", async () => {
    const { cwd, home, data, error } = await tracedWorkspace();
    await data("checkpoint", "start");
    await using workspace = await Workspace.open(cwd, { home });
    await using _ = await workspace.claim();
    const asked = [["restore", "start"], ["undo"], ["checkpoint", "two"], ["run", "Hi", "--offline", "direct"]];
    for (const told of await Promise.all(asked.map((args) => error(...args)))) {
      expect(told).toMatchObject({ kind: "workspace_busy", target: cwd, retryable: true });
    }
  });
});

describe("nothing recorded yet", () => {
  it("is told by every command that needs a state", async () => {
    const { cwd, skein, error } = await tracedWorkspace();
    expect(await skein("log")).toEqual({
      code: 0,
      stdout: 'No matching turn is recorded here; skein run "…" records one.\n',
      stderr: "",
    });
    const asked = [
      ["show", "@"],
      ["diff", "@"],
      ["restore", "@"],
      ["branch", "@"],
      ["run", "Hi", "--continue", "--offline", "direct"],
    ];
    for (const told of await Promise.all(asked.map((args) => error(...args)))) {
      expect(told).toMatchObject({
        kind: "state_not_found",
        target: "@",
        message: "Nothing is recorded in this directory yet",
      });
    }
    expect(await error("undo")).toMatchObject({ kind: "state_not_found", target: cwd });
    expect(await error("log", "--conversation", "none")).toMatchObject({ kind: "state_not_found", target: "none" });
    expect(await error("log", "--since", "soon")).toMatchObject({ kind: "usage", target: "--since" });
    expect(await error("show", "@", "--cwd", join(cwd, "missing"))).toMatchObject({ kind: "filesystem" });
  });
});

describe("branch", () => {
  it("is made beside the workspace, or where it is told, and never in a directory that holds files", async () => {
    const { cwd, data, skein, error } = await tracedWorkspace();
    await writeFile(join(cwd, "a.txt"), "one\n");
    const { state_id: id } = checkpoint.data.parse(await data("checkpoint", "start"));
    const beside = `${cwd}-${id.slice(0, 12)}`;
    const made = [await data("branch", "start"), await data("branch", "start")].map((each) => branch.data.parse(each));
    expect(made.map(({ directory }) => directory)).toEqual([beside, `${beside}-2`]);
    const named = await skein("branch", "start", `${cwd}-mine`);
    expect(named.stdout.split("\n")[1]).toBe(`  ${cwd}-mine`);
    expect(await readdir(`${cwd}-mine`)).toEqual(["a.txt"]);
    expect(await error("branch", "start", cwd)).toMatchObject({ kind: "usage", target: cwd });
  });
});

describe("log and show", () => {
  it("find turns by what they did, and tell everything of one", { timeout: 120_000 }, async () => {
    const { skein, data, turn } = await tracedWorkspace();
    const first = await turn(write("a.txt", "one\n"));
    const second = await turn('Bash {"command":"false"}');
    await data("checkpoint", "after", first.state_id);
    const ids = async (...flags: string[]): Promise<string[]> =>
      log.data.parse(await data("log", ...flags)).states.map(({ state_id: id }) => id);

    expect(await ids()).toEqual([second.state_id, first.state_id]);
    expect(await ids("--tool", "Bash")).toEqual([second.state_id]);
    expect(await ids("--text", "a.txt")).toEqual([first.state_id]);
    expect(await ids("--conversation", first.conversation_id)).toEqual([first.state_id]);
    expect(await ids("--outcome", "failed")).toEqual([]);
    expect(await ids("--min-cost-usd", "1000")).toEqual([]);
    expect(await ids("--since", "1h", "--limit", "1")).toEqual([second.state_id]);
    expect(await ids("--until", "1h")).toEqual([]);
    expect((await ids("--all")).length).toBe(4);

    const { stdout } = await skein("log");
    expect(
      stdout.replaceAll(SHORT, "{id}").replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d|offline|\$\d\.\d+/gu, "#"),
    ).toMatch(
      /^ +State +When +Cost +Files +Prompt +Tools\n {2}✓ +\{id\} +# +# +\(@\) Bash \{"command":"false"\} +Bash\n {2}✓ +\{id\} +# +# +\+1 +\(after\) Write \{.*"content":"one\\n"\} +Write\n\n {2}2 turns · .*\n$/u,
    );

    const shown = show.data.parse(await data("show", "after"));
    expect(shown).toMatchObject({
      state_id: first.state_id,
      kind: "turn",
      checkpoints: ["after"],
      is_here: false,
      session_id: first.session_id,
      files: { created: ["a.txt"], modified: [], deleted: [], renamed: [] },
      turn: {
        transition_id: first.transition_id,
        outcome: "completed",
        ledger: { source: "result", is_lower_bound: false, mismatches: [] },
        tools: [{ tool: "Write", input: { content: "one\n" } }],
      },
    });
    expect(shown.all_files).toBeNull();
    const listed = show.data.parse(await data("show", "after", "--files"));
    expect(listed.all_files).toEqual([{ path: "a.txt", kind: "file", mode: "644", size_bytes: 4, content_id: ID }]);
    expect((await skein("show", "after", "--files")).stdout).toBe("  Mode  Size  Path\n  0644   4 B  a.txt\n");
    const text = (await skein("show", "@")).stdout;
    for (const part of [`State ${second.state_id} (@)\n`, '❯ Bash {"command":"false"}\n', "✗ Bash false", "Before"]) {
      expect(text).toContain(part);
    }
  });
});
