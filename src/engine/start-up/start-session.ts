import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { ClaudeConfigError, SkeinError, type Clock } from "../../core/internal.ts";
import { parseClaudeOptions } from "../options/parse-options.ts";
import { checkCliPath } from "./find-cli.ts";
import type { ClaudeOptions } from "../options/claude-options.ts";
import type { ClaudePrompt } from "../prompts/claude-prompt.ts";
import { openSession, type CliSession } from "./cli-session.ts";
import { requireCredentials } from "./credentials.ts";
import { buildEnv, type EnvVariables } from "../processes/env-variables.ts";
import { hostProcesses, type ProcessManager } from "../processes/process-manager.ts";
import { shortSocketFolder } from "./socket-folder.ts";
import { toSdkOptions } from "./sdk-options.ts";
import { findMoneyLimit } from "../turns/turn-budget.ts";
import type { SessionOptions } from "../options/tool-server.ts";
import type { WarmPool } from "./warm-pool.ts";

/** What an engine or a client works with, beside its options. */
export interface EngineDependencies {
  readonly clock?: Clock;
  readonly processes?: ProcessManager;
  /** Where spare processes are waiting. */
  readonly pool?: WarmPool;
}

/** Checks what can be checked, takes a spare or starts a process, and sends the prompt: a spare that refuses its claim never gets it. */
export async function startSession(
  options: ClaudeOptions,
  dependencies: EngineDependencies,
  prompt?: ClaudePrompt,
): Promise<CliSession> {
  const sdkOptions = await prepare(options);
  if (options.signal?.aborted) throw new SkeinError("The turn was cancelled", { kind: "cancelled" });
  const spare = await dependencies.pool?.claim(sdkOptions);
  if (spare) {
    if (await spare.isBound()) return await prompted(spare, prompt);
    await spare.close(0);
  }
  const processes = dependencies.processes ?? hostProcesses;
  await processes.prepare();
  return await prompted(await openSession(sdkOptions, processes, dependencies.clock), prompt);
}

async function prompted(session: CliSession, prompt: ClaudePrompt | undefined): Promise<CliSession> {
  if (prompt) await session.send(prompt);
  return session;
}

/** A session of many turns counts its money itself, and is started without the limit that a single turn hands to the CLI. */
export async function warmSessions(options: ClaudeOptions, { pool }: EngineDependencies): Promise<void> {
  if (!pool) return;
  const { maxCostUsd: _, maxConversationCostUsd: __, ...unlimited } = options;
  const kinds = findMoneyLimit(options) ? [options, unlimited] : [options];
  await Promise.all(kinds.map(async (kind) => await pool.warm(await prepare(kind))));
}

async function prepare(options: ClaudeOptions): Promise<SessionOptions> {
  const built = buildEnv(process.env, { ...options.env, ...outputAttempts(options) });
  await checkOptions(options, built);
  const env = { ...built, ...shortSocketFolder(options, built) };
  await requireCredentials(env, process.env);
  return toSdkOptions(options, env);
}

/** The CLI counts attempts, and takes their number from its environment alone. */
function outputAttempts({ outputRetries }: ClaudeOptions): EnvVariables {
  return outputRetries === undefined ? {} : { MAX_STRUCTURED_OUTPUT_RETRIES: String(outputRetries + 1) };
}

/** Refuses what cannot work, before anything is started. */
export async function checkOptions(options: ClaudeOptions, env: EnvVariables): Promise<void> {
  parseClaudeOptions(options);
  checkBypass(options, env);
  const cwd = resolve(options.cwd ?? ".");
  await checkThere("directory", "cwd", cwd);
  for (const directory of options.additionalDirectories ?? []) {
    await checkThere("directory", "additionalDirectories", resolve(cwd, directory));
  }
  if (options.projectConfigRoot !== undefined) {
    await checkThere("directory", "projectConfigRoot", resolve(cwd, options.projectConfigRoot));
  }
  for (const plugin of options.plugins ?? []) await checkThere("directory", "plugins", resolve(cwd, plugin.path));
  if (typeof options.settings === "string") await checkThere("file", "settings", resolve(cwd, options.settings));
  if (options.cliPath !== undefined) await checkCliPath(options.cliPath, env, options);
}

function checkBypass({ permissionMode }: ClaudeOptions, env: EnvVariables): void {
  if (permissionMode !== "bypassPermissions" || process.getuid?.() !== 0 || env["IS_SANDBOX"] === "1") return;
  throw new ClaudeConfigError("The CLI does not bypass permissions for root", {
    option: "permissionMode",
    hint: "Run as an ordinary user, or set IS_SANDBOX=1 if you can afford to lose the whole machine.",
  });
}

async function checkThere(kind: "directory" | "file", option: string, path: string): Promise<void> {
  const found = await stat(path).catch((cause: unknown) => {
    const what = option === "cwd" ? "working directory" : `${kind} of ${option}`;
    const { code, message } = cause as NodeJS.ErrnoException;
    throw new SkeinError(`The ${what} ${path} ${code === "ENOENT" ? "does not exist" : `cannot be used: ${message}`}`, {
      kind: "filesystem",
      target: path,
      hint: "Create it first, or name another.",
      cause,
    });
  });
  if (kind === "directory" ? found.isDirectory() : found.isFile()) return;
  const hint = `Give ${option} a ${kind}.`;
  throw new SkeinError(`${path} is not a ${kind}`, { kind: "filesystem", target: path, hint });
}
