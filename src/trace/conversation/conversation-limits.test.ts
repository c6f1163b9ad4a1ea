import { afterAll, beforeAll, expect, test } from "vitest";
import { bash, write } from "../../../test/support/direct-script.ts";
import { startTracedAgent, type TracedAgent } from "../../../test/support/traced-agent.ts";
import { ClaudeAgent } from "../agent/claude-agent.ts";
import { Conversation } from "./conversation.ts";

let traced: TracedAgent;

beforeAll(async () => {
  traced = await startTracedAgent();
});

afterAll(() => traced.close());

test("maxCostUsd is each turn's own in an agent's conversation", async () => {
  await using agent = new ClaudeAgent(await traced.folder(), {
    engine: traced.agent.engine,
    options: { maxCostUsd: 0.03 },
    workspace: { home: await traced.folder() },
  });
  const responses = [];
  for (let turn = 0; turn < 6; turn += 1) responses.push(await agent.send(bash(`echo ${turn}`)));
  expect(responses.map(({ transition }) => transition.execution.error)).toEqual(Array.from({ length: 6 }));
  expect(agent.totalCostUsd).toBeGreaterThan(0.03);
});

test("maxConversationCostUsd counts the whole history, also where it was made by another process", async () => {
  const workspace = await traced.workspace();
  const { engine } = traced.agent;
  const spentUsd = await (async () => {
    await using first = await Conversation.start(workspace, { engine });
    await first.send(write("a.txt", "one"));
    return first.totalCostUsd;
  })();
  const options = { maxConversationCostUsd: spentUsd + 0.01 };
  await using second = await Conversation.load(workspace, "@", { engine, options });
  expect((await second.send(bash("cat a.txt"))).execution.isError).toBe(false);
  const outcomes = [];
  for (let turn = 0; turn < 8; turn += 1) outcomes.push((await second.send(bash("cat a.txt"))).execution.error?.kind);
  expect(outcomes.at(-1)).toBe("budget");
  expect(second.totalCostUsd).toBeLessThan(spentUsd + 0.02);

  traced.agent.forget();
  await using third = await Conversation.load(workspace, "@", { engine, options });
  const refused = await third.send(bash("cat a.txt"));
  expect(refused.execution).toMatchObject({
    costUsd: 0,
    error: { kind: "budget", target: "maxConversationCostUsd" },
  });
  expect(traced.agent.requests).toEqual([]);
});
