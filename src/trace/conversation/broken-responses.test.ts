import { afterAll, beforeAll, expect, test } from "vitest";
import { startTracedAgent, type TracedAgent } from "../../../test/support/traced-agent.ts";
import { Conversation } from "./conversation.ts";

let traced: TracedAgent;

beforeAll(async () => {
  traced = await startTracedAgent();
});

afterAll(() => traced.close());

test("a turn whose response broke off, and was asked for again, counts as a lower bound; the next counts whole", async () => {
  await using conversation = await Conversation.start(await traced.workspace(), { engine: traced.agent.engine });
  const faults = [
    { type: "cut", afterEvents: 4, times: 1 },
    { type: "cut", afterEvents: 4, afterMs: 100, times: 1 },
    { type: "cut", afterEvents: 1, afterMs: 100, isQuiet: true, times: 1 },
    { type: "error", afterEvents: 4, times: 1 },
  ];
  for (const [index, fault] of faults.entries()) {
    const { execution } = await conversation.send(`fail ${JSON.stringify(fault)}\nsay It works, the ${index}th time.`);
    expect(execution).toMatchObject({
      outcome: "completed",
      response: `It works, the ${index}th time.`,
      ledger: { source: "result", isLowerBound: true },
    });
  }
  const { execution } = await conversation.send("say whole");
  expect(execution.ledger).toMatchObject({ source: "result", isLowerBound: false });
});

test("a turn that ended because only pings came counts as a lower bound, and the conversation goes on", async () => {
  await using conversation = await Conversation.start(await traced.workspace(), { engine: traced.agent.engine });
  const prompt = 'fail {"type":"pings","afterEvents":4}\nsay It never ends.';
  expect((await conversation.send(prompt, { idleTimeoutMs: 3000 })).execution).toMatchObject({
    outcome: "failed",
    error: { kind: "timeout" },
    ledger: { isLowerBound: true },
  });
  expect((await conversation.send("say whole")).execution).toMatchObject({ outcome: "completed", response: "whole" });
});
