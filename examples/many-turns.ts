import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { drain } from "skein/core";
import { ClaudeEngine, claudePrompt, ClaudeSDKClient, conversation, WarmPool } from "skein/engine";
import { startOfflineAgent } from "skein/testing";

await using agent = await startOfflineAgent({
  name: "echo",
  rules: [{ when: { prompt: "^say (?<word>\\w+)" }, steps: [{ say: "{{word}}" }] }],
});

// Several prompts, one process, one session.
const { results, costUsd } = await drain(conversation(["say one", "say two"], agent.options));
deepStrictEqual(
  results.map(({ text }) => text),
  ["one", "two"],
);
ok(costUsd > 0);

// The same, steered by hand.
await using client = new ClaudeSDKClient(agent.options);
await client.query("say three");
for await (const event of client.receiveResponse()) {
  if (event.type === "turn-end") strictEqual(event.result.text, "three");
}
strictEqual((await client.ask("say four")).text, "four");
strictEqual(client.statistics().turns, 2);

// Turns from a process that was started before it was needed.
await using pool = new WarmPool();
const engine = new ClaudeEngine(agent.options, { pool });
await engine.warm();
strictEqual((await engine.execute(claudePrompt("say five"))).text, "five");
strictEqual(pool.statistics().hits, 1);
