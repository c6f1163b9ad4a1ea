import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { byHand, type ByHand } from "../../../test/support/by-hand.ts";
import { bash, write } from "../../../test/support/direct-script.ts";
import { changedPaths, startTracedAgent, type TracedAgent } from "../../../test/support/traced-agent.ts";
import type { Workspace } from "../../workspace/index.ts";
import { Conversation } from "../conversation/conversation.ts";
import type { Ledger } from "../record/transition-file.ts";
import { TransitionRecorder } from "./transition-recorder.ts";
import type { ToolExecution } from "../turn/tool-recorder.ts";
import { verifyWorkspace } from "../recovery/verify-workspace.ts";
import { createTransition } from "./create-transition.ts";

const DELEGATE = { description: "Work", prompt: bash("echo from-sub"), subagent_type: "general-purpose" };
const PROMPT = [
  write("a.txt", "one"),
  bash("cat nothing-here"),
  'WebFetch {"url":"http://127.0.0.1:9/","prompt":"x"}',
  `Agent ${JSON.stringify(DELEGATE)}`,
  "say back",
].join("\n");

let traced: TracedAgent;
let workspace: Workspace;
let hand: ByHand;

beforeAll(async () => {
  traced = await startTracedAgent();
  hand = byHand(traced);
});
beforeEach(async () => {
  traced.agent.forget();
  workspace = await traced.workspace();
});
afterAll(() => traced.close());

/** What two ways of recording the same turn must agree on. */
function plain(calls: readonly ToolExecution[]): readonly unknown[] {
  const names = new Map(calls.map(({ toolUseId, tool }) => [toolUseId, tool]));
  return calls.map(({ tool, isError, isDenied, isOpen, input, output, parentToolUseId = "" }) => {
    const shown = tool === "Agent" || tool === "Write" ? typeof output : output;
    return {
      tool,
      isError,
      isDenied,
      isOpen,
      input: Object.keys(input as object),
      shown,
      in: names.get(parentToolUseId),
    };
  });
}

/** How much the cache served depends on what ran before. */
function outputs({ subagents }: Ledger): readonly unknown[] {
  return Object.entries(subagents).map(([model, { outputTokens }]) => [model, outputTokens]);
}

test("a transition made by hand tells tools, messages, tool errors and the ledger as a recorded one does", async () => {
  const { before, execution, events } = await hand.execute(workspace, PROMPT);
  const after = await workspace.snapshot({ sessionId: execution.sessionId, claudeHome: hand.claudeHome });
  const parts = { before, prompt: PROMPT, execution, after };
  const [made, withEvents] = [createTransition(parts), createTransition({ ...parts, events })];

  const other = await traced.workspace();
  await using conversation = await Conversation.start(other, { engine: traced.agent.engine });
  const recorded = await conversation.send(PROMPT);

  expect(made.toolsUsed()).toEqual(["Write", "Bash", "WebFetch", "Agent", "Bash"]);
  expect(made.hasToolErrors()).toBe(true);
  expect(plain(await made.toolExecutions())).toEqual(plain(await recorded.toolExecutions()));
  expect(plain(await withEvents.toolExecutions())).toEqual(plain(await recorded.toolExecutions()));
  expect((await made.toolExecutions()).every(({ durationMs }) => durationMs >= 0)).toBe(true);
  expect((await made.newMessages()).map(({ role, subagent }) => [role, subagent !== undefined])).toEqual(
    (await recorded.newMessages()).map(({ role, subagent }) => [role, subagent !== undefined]),
  );
  const { ledger } = made.execution;
  expect({ ...ledger, subagents: outputs(ledger) }).toEqual({
    ...recorded.execution.ledger,
    mismatches: [],
    agents: expect.objectContaining({ "general-purpose": expect.anything() }),
    subagents: outputs(recorded.execution.ledger),
  });
  expect(await changedPaths(made)).toEqual(["created a.txt"]);
  expect(made.after).toEqual({ snapshotId: after.id, sessionId: execution.sessionId });
  const session = await made.sessionAfter();
  expect(session).toMatchObject({ sessionId: execution.sessionId, problems: [] });
  expect(session?.subagents.map(({ agentType, messages }) => [agentType, messages.length])).toEqual([
    ["general-purpose", 4],
  ]);
});

test("without a session the ledger claims no disagreement, and a session that is not there is an error", async () => {
  const { before, execution, events } = await hand.execute(workspace, bash("echo hi"));
  const parts = { before, prompt: "x", execution, after: await workspace.snapshot({ sessionId: "" }) };
  const blind = createTransition(parts);
  expect(blind.execution.ledger).toEqual({ source: "result", isLowerBound: false, subagents: {}, mismatches: [] });
  expect([blind.toolsUsed(), await blind.newMessages(), await blind.sessionAfter()]).toEqual([[], [], undefined]);
  expect(createTransition({ ...parts, events }).toolsUsed()).toEqual(["Bash"]);
  for (const sessionId of ["00000000-0000-4000-8000-000000000000", "../../x", "a/b"]) {
    await expect(workspace.snapshot({ sessionId, claudeHome: hand.claudeHome })).rejects.toMatchObject({
      kind: "session_not_found",
    });
  }
  const empty = await traced.folder();
  await expect(workspace.snapshot({ sessionId: execution.sessionId, claudeHome: empty })).rejects.toMatchObject({
    kind: "session_not_found",
    hint: expect.stringContaining("claudeHome"),
  });
});

test("a transition made by hand is recorded, and its conversation goes on", async () => {
  const first = await hand.make(workspace, PROMPT, { metadata: { by: "hand" }, rewards: { tests: 1 } });
  await using recorder = await TransitionRecorder.open(workspace);
  const recorded = await recorder.record(first);

  expect(recorded).toMatchObject({ id: first.id, metadata: { by: "hand" }, rewards: { tests: 1 }, turn: 1 });
  expect(recorded.execution).toEqual(first.execution);
  expect(await recorded.newMessages()).toEqual(await first.newMessages());
  expect(await recorded.toolExecutions()).toEqual(await first.toolExecutions());
  expect(await changedPaths(recorded)).toEqual(["created a.txt"]);
  expect((await recorder.index.recent()).map(({ id }) => id)).toEqual([first.id]);
  expect(await recorder.index.totals()).toMatchObject({ turns: 1 });
  // Once is enough, also for somebody who asks twice at once.
  const again = await Promise.all([recorder.record(first), recorder.record(first), recorder.record(recorded)]);
  expect(again.map(({ after }) => after.stateId)).toEqual(Array(3).fill(recorded.after.stateId));

  await using conversation = await Conversation.load(workspace, first.conversationId, traced.agent);
  traced.agent.forget();
  const next = await conversation.send(bash("cat a.txt"));
  expect(next.execution.response).toBe("one");
  expect(traced.said()[0]?.join("\n")).toContain("nothing-here");
  expect(conversation.history().map(({ id }) => id)).toEqual([first.id, next.id]);
  expect(await changedPaths(next)).toEqual([]);
  expect((await verifyWorkspace(workspace)).problems).toEqual([]);
});
