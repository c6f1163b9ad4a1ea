import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createFakeEngine } from "../../testing/index.ts";
import { Workspace } from "../../workspace/index.ts";
import { Conversation } from "../conversation/conversation.ts";
import { verifyWorkspace } from "../recovery/verify-workspace.ts";
import { addNote } from "../record/note.ts";
import { TraceIndex } from "./trace-index.ts";

let root: string;
let workspace: Workspace;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "skein-index-"));
  workspace = await Workspace.open(join(root, "workspace"), { home: join(root, "home") });
});

afterEach(async () => {
  await workspace.close();
  await rm(root, { recursive: true, force: true });
});

it("the index and the check look up no note by its ref: with each, all refs that were packed would be read anew", async () => {
  await using conversation = await Conversation.start(workspace, { engine: createFakeEngine(() => "fine") });
  for (const prompt of ["one", "two", "three"]) await conversation.send(prompt);
  const id = conversation.tip?.id ?? "";
  await addNote(workspace, id, { rewards: { score: 1 } });
  const listed = [...(await workspace.states.notes())];
  const note = vi.spyOn(workspace.states, "note");

  await using index = await TraceIndex.open(workspace);
  const rewarded = (await index.query()).map((state) => state.rewards);
  expect(rewarded).toEqual([{ score: 1 }, {}, {}, {}]);
  expect(note.mock.calls).toEqual(listed);

  note.mockClear();
  await verifyWorkspace(workspace);
  expect(note.mock.calls).toEqual(listed);
});
