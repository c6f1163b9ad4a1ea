import type { Options } from "@anthropic-ai/claude-agent-sdk";
import { resolve } from "node:path";
import { defined, without } from "../../core/internal.ts";
import type { ClaudeOptions } from "../options/claude-options.ts";
import type { SessionOptions } from "../options/tool-server.ts";
import { answerSandboxed } from "../permissions/sandboxed-commands.ts";
import { findMoneyLimit } from "../turns/turn-budget.ts";
import { DEFAULT_MAX_RESPONSES } from "../turns/turn-limits.ts";
import { bundledCliPath } from "./find-cli.ts";

/**
 * Maps Skein's options onto the SDK's: the one place where both vocabularies meet. The defaults that matter are
 * always stated, because the SDK's own are not those of this library:
 *
 * - `settingSources: []`: no settings file is read. Left out, the SDK loads them all.
 * - `permissionMode: "default"`. Left out, the CLI may choose `auto`.
 * - `systemPrompt`: Claude Code's own. Left out, the SDK sends an empty one.
 * - `includePartialMessages`: always, because a long response is a healthy one only as long as pieces of it come. Whether the
 *   caller sees them is the engine's to decide.
 * - `maxTurns`: what we call responses, 500 of them. The CLI has no limit by itself.
 * - `env`: the given environment and nothing else, built by an allow list (`buildEnv`).
 * - `pathToClaudeCodeExecutable`: the CLI that came with the SDK.
 */
export function toSdkOptions(options: ClaudeOptions, env: Record<string, string>): SessionOptions {
  const cwd = resolve(options.cwd ?? ".");
  const { plugins, settings, debugFile, projectConfigRoot, outputSchema: schema } = options;
  const canUseTool = answerSandboxed(options);
  return {
    ...(without(options, NOT_PASSED_ON) as Partial<SessionOptions>),
    ...(defined({
      outputFormat: schema && { type: "json_schema", schema },
      maxBudgetUsd: findMoneyLimit(options)?.usd,
      plugins: plugins?.map((plugin) => ({ ...plugin, path: resolve(cwd, plugin.path) })),
      settings: typeof settings === "string" ? resolve(cwd, settings) : settings,
      projectConfigRoot: projectConfigRoot === undefined ? undefined : resolve(cwd, projectConfigRoot),
      debugFile: debugFile === undefined ? undefined : resolve(cwd, debugFile),
      canUseTool,
    }) as Partial<SessionOptions>),
    cwd,
    additionalDirectories: (options.additionalDirectories ?? []).map((directory) => resolve(cwd, directory)),
    permissionMode: options.permissionMode ?? "default",
    allowDangerouslySkipPermissions: options.permissionMode === "bypassPermissions",
    ...toAllowed(options, canUseTool !== undefined),
    disallowedTools: [...(options.disallowedTools ?? [])],
    settingSources: [...(options.settingSources ?? [])],
    systemPrompt: toSystemPrompt(options),
    maxTurns: options.maxResponses ?? DEFAULT_MAX_RESPONSES,
    includePartialMessages: true,
    pathToClaudeCodeExecutable: toExecutable(options.cliPath),
    env,
  };
}

/** Options that the SDK has another name for, or that the engine itself looks after. */
const NOT_PASSED_ON = [
  "outputSchema",
  "outputRetries",
  "maxResponses",
  "maxTokens",
  "maxCostUsd",
  "maxConversationCostUsd",
  "timeoutMs",
  "idleTimeoutMs",
  "deadline",
  "memoryLimitMb",
  "maxProcesses",
  "maxDiskBytes",
  "graceMs",
  "signal",
  "cliPath",
  "onMessage",
] as const satisfies readonly (keyof ClaudeOptions)[];

/** The rules for what needs no permission. Of a bare name beside `canUseTool` the SDK warns on standard error, so the CLI is told itself. */
function toAllowed({ allowedTools = [], extraArgs }: ClaudeOptions, canAsk: boolean): Partial<SessionOptions> {
  const isBare = canAsk && allowedTools.some((rule) => !rule.includes("("));
  if (!isBare || extraArgs?.["allowedTools"] !== undefined) return { allowedTools: [...allowedTools] };
  return { allowedTools: [], extraArgs: { ...extraArgs, allowedTools: allowedTools.join(",") } };
}

/**
 * The CLI writes the system prompt that a session began with into its transcript, and sends that one for ever after, whatever it is told
 * on resume. A transcript may come from somebody else, and who goes on says what holds: so the record is passed over, unless `snapshot` asks for it.
 */
function toSystemPrompt(options: ClaudeOptions): NonNullable<Options["systemPrompt"]> {
  const wanted = options.systemPrompt ?? { type: "preset", preset: "claude_code" };
  const hasPast = options.resume !== undefined || options.continue === true;
  if (typeof wanted === "string" || !("type" in wanted)) {
    const prompt = ownWords(wanted);
    return hasPast ? { type: "custom", prompt, snapshot: false } : prompt;
  }
  const { snapshot } = wanted;
  const record = hasPast ? { snapshot: snapshot ?? false } : defined({ snapshot });
  if (wanted.type === "custom") return { type: "custom", prompt: ownWords(wanted.prompt), ...record };
  return { ...defined(wanted), ...record };
}

function ownWords(prompt: string | readonly string[]): string | string[] {
  return typeof prompt === "string" ? prompt : [...prompt];
}

/** A path would be looked for from the agent's directory, not from ours; a bare name is looked for in PATH. */
function toExecutable(cliPath: string | undefined): string {
  if (cliPath === undefined) return bundledCliPath();
  return /[\\/]/.test(cliPath) ? resolve(cliPath) : cliPath;
}
