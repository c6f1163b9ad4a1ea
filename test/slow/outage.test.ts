import { expect, test } from "vitest";
import { claudePrompt, createResilientEngine } from "../../src/engine/index.ts";
import { startOfflineAgent } from "../../src/testing/index.ts";

test("an API that is overloaded for forty seconds is outlasted", async () => {
  const startedAt = Date.now();
  const steps = () =>
    Date.now() - startedAt < 40_000
      ? [{ fail: { type: "http" as const, status: 529 as const } }]
      : [{ say: "back again" }];
  await using agent = await startOfflineAgent(
    { name: "outage", rules: [{ steps }] },
    { env: { CLAUDE_CODE_MAX_RETRIES: "2" } },
  );
  const engine = createResilientEngine(agent.engine, { retry: { maxRetries: 12 }, breaker: { maxFailures: 50 } });
  expect(await engine.execute(claudePrompt("Are you there?"))).toMatchObject({ text: "back again", isError: false });
}, 200_000);
