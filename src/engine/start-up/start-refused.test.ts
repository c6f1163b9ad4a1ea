import { describe, expect, test } from "vitest";
import { startOfflineAgent } from "../../testing/index.ts";
import type { ClaudeOptions } from "../options/claude-options.ts";
import { claudePrompt } from "../prompts/claude-prompt.ts";
import { ClaudeSDKClient } from "../claude-sdk-client.ts";
import { createResilientEngine } from "../resilience/resilient-engine.ts";

const scenario = { name: "start", rules: [{ steps: [{ say: "hello" }] }] };

const REFUSED: readonly (readonly [ClaudeOptions, RegExp])[] = [
  [{ extraArgs: { "max-turns": "many" } }, /--max-turns/u],
  [{ extraArgs: { "add-dir": null } }, /--add-dir/u],
  [{ extraArgs: { "mcp-config": "/nowhere.json" } }, /nowhere/u],
  [{ extraArgs: { "session-id": "mine" } }, /UUID/u],
  [{ outputSchema: { type: "nonsense" } }, /JSON Schema/u],
  [{ extraArgs: { version: null } }, /before it took a prompt/u],
  [{ env: { HTTPS_PROXY: "nonsense" } }, /HTTPS_PROXY/u],
  [{ env: { CLAUDE_CODE_TMPDIR: "/proc/nowhere" } }, /nowhere/u],
];

describe("a CLI that does not start", () => {
  test("is an error of configuration that is not tried again, where it does not know a flag", async () => {
    await using agent = await startOfflineAgent(scenario);
    const said: string[] = [];
    const options: ClaudeOptions = { extraArgs: { "no-such-flag": null }, stderr: (text) => said.push(text) };
    const result = await createResilientEngine(agent.engine).execute(claudePrompt("Go"), options);
    expect(result.error).toMatchObject({
      name: "ClaudeConfigError",
      kind: "config",
      retryable: false,
      message: "The CLI refused to start: error: unknown option '--no-such-flag'",
    });
    expect(said).toHaveLength(1);
  });

  test("is one too where a flag's value, a file, a schema or the environment is what it refuses", async () => {
    await using agent = await startOfflineAgent(scenario);
    const results = await Promise.all(
      REFUSED.map(async ([options]) => (await agent.engine.execute(claudePrompt("Go"), options)).error),
    );
    const expected = REFUSED.map(([, message]) => ({
      kind: "config",
      retryable: false,
      message: expect.stringMatching(message) as string,
    }));
    expect(results).toMatchObject(expected);
  });

  test("is told the same way by a client, and is no lost process to it", async () => {
    await using agent = await startOfflineAgent(scenario, { extraArgs: { "no-such-flag": null } });
    for (const limit of [{}, { maxCostUsd: 1 }]) {
      await using client = new ClaudeSDKClient({ ...agent.options, ...limit });
      expect((await client.ask("Go")).error).toMatchObject({ kind: "config" });
      await client.connect();
      await expect(client.receiveMessages().next()).rejects.toMatchObject({ kind: "config" });
    }
  });
});
