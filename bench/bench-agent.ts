import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Options } from "@anthropic-ai/claude-agent-sdk";
import { buildEnv, type ClaudeOptions } from "skein/engine";
import { offlineEnvironment, startOfflineServer, type Step } from "skein/offline";

const ANSWER: readonly Step[] = [{ say: "A short answer to a short question." }];

/** The same agent for Skein and for the bare SDK: one folder, one offline model. */
export interface BenchAgent extends AsyncDisposable {
  readonly skein: ClaudeOptions;
  readonly sdk: Options;
}

/** Starts the offline model, which does the same for every prompt: a short answer, unless steps are given. */
export async function startBenchAgent({
  steps = ANSWER,
}: { readonly steps?: readonly Step[] } = {}): Promise<BenchAgent> {
  const root = await mkdtemp(join(tmpdir(), "skein-bench-"));
  const server = await startOfflineServer({ scenario: { name: "bench", rules: [{ steps }] } });
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
      env: buildEnv(process.env, env),
    },
    async [Symbol.asyncDispose]() {
      await server.close();
      await rm(root, { recursive: true, force: true });
    },
  };
}
