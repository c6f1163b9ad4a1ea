import { SkeinError, privateView, type Clock } from "../../core/index.ts";
import { checkOptions } from "./check-options.ts";
import type { ClaudeOptions } from "../options/claude-options.ts";
import type { ClaudePrompt } from "../prompts/claude-prompt.ts";
import { openSession, type CliSession } from "./cli-session.ts";
import { requireCredentials } from "./credentials.ts";
import { buildEnv } from "../processes/env-variables.ts";
import { hostProcesses, type ProcessManager } from "../processes/process-manager.ts";
import { toSdkOptions } from "./sdk-options.ts";
import type { SessionOptions } from "../options/tool-server.ts";
import type { WarmPool } from "./warm-pool.ts";

/** What an engine or a client works with, beside its options. */
export interface EngineDependencies {
  readonly clock?: Clock;
  readonly processes?: ProcessManager;
  /** Where spare processes are waiting. */
  readonly pool?: WarmPool;
}

/**
 * Checks everything that can be checked, takes a spare process or starts one, and sends the prompt, if there is one. It
 * goes to a spare together with the claim: one that refuses has not run it.
 */
export async function startSession(
  options: ClaudeOptions,
  dependencies: EngineDependencies,
  prompt?: ClaudePrompt,
): Promise<CliSession> {
  const sdkOptions = await prepare(options);
  if (options.signal?.aborted) throw new SkeinError("The turn was cancelled", { kind: "cancelled" });
  // A spare cannot enter a directory that it does not see.
  const spare = privateView(sdkOptions.cwd ?? "") === undefined ? dependencies.pool?.claim(sdkOptions) : undefined;
  if (spare) {
    if (prompt) await spare.send(prompt);
    if (await spare.isBound()) return spare;
    await spare.close(0);
  }
  const processes = dependencies.processes ?? hostProcesses;
  await processes.prepare();
  const session = await openSession(sdkOptions, processes, dependencies.clock);
  if (prompt) await session.send(prompt);
  return session;
}

/** Fills the pool for sessions with these options. */
export async function warmSessions(options: ClaudeOptions, { pool }: EngineDependencies): Promise<void> {
  await pool?.warm(await prepare(options));
}

async function prepare(options: ClaudeOptions): Promise<SessionOptions> {
  const env = buildEnv(process.env, options.env);
  await checkOptions(options, env);
  await requireCredentials(env, process.env);
  return toSdkOptions(options, env);
}
