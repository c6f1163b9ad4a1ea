import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { createEventCollector, defineEvent, handleEvents } from "skein/core";
import {
  claudePrompt,
  collectMetrics,
  createCostGuard,
  createRedactor,
  withPlugins,
  type PluginFailure,
  type SkeinPlugin,
} from "skein/engine";
import { startOfflineAgent } from "skein/testing";
import { z } from "zod";

await using agent = await startOfflineAgent({
  name: "plugins",
  rules: [
    { when: { prompt: "^deploy" }, steps: [{ say: "I will {{prompt}}. Keep AKIAIOSFODNN7EXAMPLE for later." }] },
    { when: { prompt: "^work" }, steps: [{ say: "Worked." }] },
  ],
});

// A plugin of our own: it refuses by a rule, and tells how long each answer is by an event of its own kind.
const answerLength = defineEvent({ name: "answer-length", schema: z.object({ characters: z.int() }) });
const manners: SkeinPlugin = {
  name: "manners",
  beforeQuery({ prompt }) {
    if (prompt.text.includes("production")) return { refuse: "Nobody touches production from here" };
    return undefined;
  },
  onMessage(event) {
    return event.type === "text" ? [event, answerLength.create({ characters: event.text.length })] : event;
  },
};

// One that is broken: the others and the turn go on.
const broken: SkeinPlugin = {
  name: "broken",
  afterQuery() {
    throw new Error("the log is full");
  },
};

const redactor = createRedactor({ names: ["DEPLOY_TOKEN"], env: { DEPLOY_TOKEN: "correct-horse-battery" } });
const failures: PluginFailure[] = [];
const engine = withPlugins(agent.engine, [redactor, manners, broken], {
  onPluginError: (failure) => failures.push(failure),
});

// Secrets neither reach the model nor come back from it, in whole or in pieces.
const collector = createEventCollector();
const lengths: number[] = [];
const result = await handleEvents(engine.stream(claudePrompt({ text: "deploy with correct-horse-battery" })), {
  onEvent(event) {
    collector.add(event);
    if (answerLength.is(event)) lengths.push(event.data.characters);
  },
  onTextDelta: ({ text }) => process.stdout.write(text),
});
strictEqual(result.text, "I will deploy with [redacted DEPLOY_TOKEN]. Keep [redacted aws-key-id] for later.");
deepStrictEqual(lengths, [result.text.length]);
ok(!JSON.stringify(agent.requests).includes("correct-horse"));
strictEqual(collectMetrics([redactor])["redactor.prompt.DEPLOY_TOKEN"], 1);
deepStrictEqual(
  failures.map(({ plugin, hook }) => `${plugin} ${hook}`),
  ["broken afterQuery"],
);
ok(collector.summary().totalEvents > 3);

// A refusal is a result like any other, told by its kind. Nothing was run for it.
const requestsBefore = agent.requests.length;
const refused = await engine.execute(claudePrompt({ text: "work on production" }));
deepStrictEqual([refused.error?.kind, refused.error?.target], ["policy", "manners"]);
strictEqual(agent.requests.length, requestsBefore);

// A cost guard stops when the money is spent, however many turns were planned.
const guard = createCostGuard({ maxCostUsd: 0.000_001 });
const frugal = withPlugins(agent.engine, [guard]);
const overdrawn = await frugal.execute(claudePrompt({ text: "work" }));
const unpaid = await frugal.execute(claudePrompt({ text: "work" }));
deepStrictEqual([overdrawn.error?.kind, overdrawn.responses], ["budget", 1]);
deepStrictEqual([unpaid.error?.kind, unpaid.responses], ["budget", 0]);
strictEqual(collectMetrics([guard])["cost-guard.refusedTurns"], 1);
