import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { bash } from "../../../test/support/direct-script.ts";
import { startTracedAgent, type TracedAgent } from "../../../test/support/traced-agent.ts";
import { isEvent, type SkeinEvent } from "../../core/internal.ts";
import type { Workspace } from "../../workspace/index.ts";
import { Conversation } from "../conversation/conversation.ts";
import { forgetEvents } from "./turn-events.ts";

let traced: TracedAgent;
let workspace: Workspace;
let parts: { readonly engine: TracedAgent["agent"]["engine"] };

beforeAll(async () => {
  traced = await startTracedAgent();
  parts = { engine: traced.agent.engine };
});

beforeEach(async () => {
  traced.agent.forget();
  workspace = await traced.workspace();
});

afterAll(() => traced.close());

const folder = (): string => join(resolve(workspace.home, "../.."), "events");

function journalOf(run: string): readonly SkeinEvent[] {
  const text = readFileSync(join(folder(), `${run}.jsonl`), "utf8");
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as SkeinEvent);
}

it("keeps the events of a recorded turn under its id, but for the pieces and the engine's own messages", async () => {
  await using conversation = await Conversation.start(workspace, parts);
  const events: SkeinEvent[] = [];
  for await (const event of conversation.stream(bash("echo done"))) events.push(event);
  const recorded = events.at(-1);
  if (!recorded || !isEvent(recorded, "state-recorded")) throw new Error("The turn was not recorded");
  const [start, ...rest] = journalOf(recorded.transitionId);
  expect(start).toMatchObject({
    type: "run-start",
    run: recorded.transitionId,
    kind: "turn",
    workspace: workspace.path,
    directory: workspace.path,
    conversationId: conversation.id,
    turn: 1,
    process: { pid: process.pid },
  });
  const kept = events.filter(({ type }) => !type.endsWith("-delta")).map((event) => ({ ...event, raw: undefined }));
  expect(rest.slice(0, -1)).toEqual(JSON.parse(JSON.stringify(kept)));
  expect(rest.at(-1)).toMatchObject({ type: "run-end", left: 0 });
});

it("keeps a turn to its end whose reader has left", async () => {
  await using conversation = await Conversation.start(workspace, parts);
  for await (const event of conversation.stream(bash("echo done"))) if (event.type === "tool-start") break;
  const [turn] = conversation.history();
  const types = journalOf(turn?.id ?? "").map(({ type }) => type);
  expect(types).toContain("tool-start");
  expect(types.slice(-2)).toEqual(["state-recorded", "run-end"]);
});

it("keeps nothing of a turn that is not recorded", async () => {
  await using conversation = await Conversation.start(workspace, { ...parts, record: false });
  await conversation.send(bash("echo done"));
  expect(existsSync(folder())).toBe(false);
});

it("is gone when its conversation is forgotten, and others stay", async () => {
  await using conversation = await Conversation.start(workspace, parts);
  const turn = await conversation.send(bash("echo done"));
  await using fork = await conversation.fork();
  const other = await fork.send(bash("echo more"));
  await forgetEvents(workspace, conversation.id);
  expect([turn, other].map(({ id }) => existsSync(join(folder(), `${id}.jsonl`)))).toEqual([false, true]);
});

it("holds no secret of the process", async () => {
  const secret = `sk-ant-api03-${"s3cret".repeat(12)}`;
  await using conversation = await Conversation.start(workspace, {
    ...parts,
    options: { env: { ...process.env, MY_TOKEN: secret } },
  });
  const turn = await conversation.send(bash(`echo ${secret}`));
  const text = readFileSync(join(folder(), `${turn.id}.jsonl`), "utf8");
  expect(text).toContain("tool-end");
  expect(text).not.toContain(secret);
});
