import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { status } from "../../src/cli/commands/states/status.ts";
import { tracedWorkspace, write } from "./support/traced-workspace.ts";

it("says what to do first where nothing is recorded", async () => {
  const { cwd, data, skein } = await tracedWorkspace();
  expect(status.data.parse(await data("status"))).toEqual({
    cwd,
    state_id: null,
    subject: null,
    recorded_at: null,
    conversation_id: null,
    files: { created: [], modified: [], deleted: [], renamed: [] },
    left_out: [],
    git_left_out: null,
    running: [],
    today: { since: expect.stringMatching(/^\d{4}-.*Z$/u) as string, turns: 0, cost_usd: 0, offline_cost_usd: 0 },
    to_recover: { turns: 0, restore: false, lost: 0 },
  });
  expect((await skein("status")).stdout).toContain('skein run "…" records a turn');
});

it("tells the head, what changed since, what runs, and what today's turns were", async () => {
  const { cwd, data, skein, turn } = await tracedWorkspace();
  const first = await turn(write("a.txt", "one\n"));
  await writeFile(join(cwd, "b.txt"), "by hand\n");
  const wait = `Bash ${JSON.stringify({ command: "touch begun; until [ -e go ]; do sleep 0.05; done" })}`;
  const running = turn(wait, "--continue");
  const seen = async (): Promise<ReturnType<typeof status.data.parse>> => {
    for (;;) {
      const found = status.data.parse(await data("status"));
      if (found.files.created.includes("begun")) return found;
    }
  };
  const during = await seen();
  const text = (await skein("status")).stdout;
  await writeFile(join(cwd, "go"), "");
  const second = await running;
  expect(during).toMatchObject({
    cwd,
    state_id: first.state_id,
    conversation_id: first.conversation_id,
    // Not the empty files that the sandbox has in the workspace meanwhile; the turn began with what was there by hand.
    files: { created: ["b.txt", "begun"], modified: [], deleted: [], renamed: [] },
    running: [{ conversation_id: first.conversation_id, prompt: wait, directory: cwd }],
    to_recover: { turns: 0, restore: false, lost: 0 },
  });
  for (const part of [first.state_id.slice(0, 12), "+ b.txt", "Running", first.conversation_id]) {
    expect(text).toContain(part);
  }
  expect(await data("status")).toMatchObject({ state_id: second.state_id, running: [] });
});
