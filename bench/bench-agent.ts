import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Options } from "@anthropic-ai/claude-agent-sdk";
import { buildEnvironment, type ClaudeOptions } from "skein/engine";
import { offlineEnvironment, startOfflineServer } from "skein/offline";

/** The same agent for Skein and for the bare SDK: one folder, one offline model. */
export interface BenchAgent extends AsyncDisposable {
  readonly skein: ClaudeOptions;
  readonly sdk: Options;
}

/** Starts the offline model, with a short answer to everything. */
export async function startBenchAgent(): Promise<BenchAgent> {
  const root = await mkdtemp(join(tmpdir(), "skein-bench-"));
  const server = await startOfflineServer({
    scenario: { name: "bench", rules: [{ steps: [{ say: "A short answer to a short question." }] }] },
  });
  const env = { ...offlineEnvironment(server.url), HOME: root, CLAUDE_CONFIG_DIR: join(root, ".claude") };
  const model = "claude-sonnet-5-5";
  return {
    skein: { cwd: root, model, env },
    sdk: {
      cwd: root,
      model,
      permissionMode: "default",
      settingSources: [],
      systemPrompt: { type: "preset", preset: "claude_code" },
      includePartialMessages: true,
      // The same that Skein gives the CLI: certificates alone make its start slower.
      env: buildEnvironment(process.env, env),
    },
    async [Symbol.asyncDispose]() {
      await server.close();
      await rm(root, { recursive: true, force: true });
    },
  };
}
