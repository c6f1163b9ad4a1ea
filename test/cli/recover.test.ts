import { access, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { recover } from "../../src/cli/commands/states/restore-recover.ts";
import { createId } from "../../src/core/internal.ts";
import { expectNoProcessWith } from "./support/marked-processes.ts";
import { endlessBash, scenarioFile } from "./support/scenario-file.ts";
import { startSkein } from "./support/skein.ts";
import { tracedWorkspace, write, type TracedWorkspace } from "./support/traced-workspace.ts";

/** A turn that has written `half.txt` when its process is killed in the middle of the next call. */
async function cutOff({ cwd, home }: TracedWorkspace): Promise<void> {
  const mark = createId();
  const scenario = await scenarioFile([
    { call: { tool: "Write", input: { file_path: "{{cwd}}/half.txt", content: "half\n" } } },
    endlessBash(mark),
  ]);
  const { child, finished } = await startSkein(
    ["run", "Do it all", "--offline", scenario, "--allowed-tools", "Bash", "--output-format", "stream-json"],
    { cwd, env: { SKEIN_HOME: home } },
  );
  let seen = "";
  child.stdout?.on("data", (chunk: Buffer) => (seen += chunk.toString("utf8")));
  await vi.waitFor(() => expect(seen.split('"type":"tool-start"').length).toBe(3), { timeout: 30_000 });
  child.kill("SIGKILL");
  await finished;
  await expectNoProcessWith(mark);
}

function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

it("shows a turn that was killed in the middle of a tool call, and keeps it", { timeout: 120_000 }, async () => {
  const workspace = await tracedWorkspace();
  await cutOff(workspace);

  const found = recover.data.parse(await workspace.data("recover"));
  expect(found).toEqual({
    turns: [
      {
        transition_id: expect.any(String) as string,
        conversation_id: expect.any(String) as string,
        prompt: "Do it all",
        started_at: expect.any(String) as string,
        before_state_id: expect.stringMatching(/^[\da-f]{40}$/u) as string,
        had_ended: false,
        tools_used: ["Write", "Bash"],
        state_id: null,
      },
    ],
    restored: null,
    cut_off_restore: null,
    lost: [],
  });
  expect((await workspace.skein("recover")).stdout).toContain("Take it back: skein recover --undo");
  const told = 'A turn was cut off here: "Do it all". Keep it or take it back: skein recover';
  expect((await workspace.skein("status")).stderr).toContain(told);

  const kept = recover.data.parse(await workspace.data("recover", "--keep"));
  expect(kept.turns[0]?.state_id).toMatch(/^[\da-f]{40}$/u);
  expect(await workspace.data("show", "@")).toMatchObject({
    state_id: kept.turns[0]?.state_id,
    files: { created: ["half.txt"] },
    turn: {
      outcome: "interrupted",
      tools: [
        { tool: "Write", is_open: false },
        { tool: "Bash", is_open: true },
      ],
    },
  });
  expect(await workspace.skein("recover")).toEqual({ code: 0, stdout: "No turn was cut off here.\n", stderr: "" });
  expect((await workspace.skein("log")).stdout).toMatch(/^ {2}! {2}[\da-f]{12} /mu);
});

it("takes such a turn back, with a way to return to it", { timeout: 120_000 }, async () => {
  const workspace = await tracedWorkspace();
  await writeFile(join(workspace.cwd, "mine.txt"), "mine\n");
  await cutOff(workspace);

  const { restored, turns } = recover.data.parse(await workspace.data("recover", "--undo"));
  expect(restored).toMatchObject({
    state_id: turns[0]?.before_state_id,
    files: { created: [], modified: [], deleted: ["half.txt"] },
    way_back: turns[0]?.state_id,
  });
  expect(await isThere(join(workspace.cwd, "half.txt"))).toBe(false);
  expect(await readFile(join(workspace.cwd, "mine.txt"), "utf8")).toBe("mine\n");
});

it("keeps such a turn before the next one, and says so", { timeout: 120_000 }, async () => {
  const { cwd, home, skein, data } = await tracedWorkspace();
  await cutOff({ cwd, home, skein } as TracedWorkspace);

  const { code, stderr } = await skein("run", write("b.txt", "two\n"), "--continue", "--offline", "direct");
  expect(code).toBe(0);
  expect(stderr).toMatch(/A turn was cut off here and is kept as [\da-f]{12}: "Do it all". Take it back: skein undo/u);
  const { states } = await data<{ states: { turn: { outcome: string } }[] }>("log");
  expect(states.map(({ turn }) => turn.outcome)).toEqual(["completed", "interrupted"]);
});
