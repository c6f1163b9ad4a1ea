import type { AgentDefinition, CanUseTool, McpServerConfig, SandboxSettings } from "@anthropic-ai/claude-agent-sdk";

/** How tool calls that no rule allows are decided. */
export const PERMISSION_MODES = ["default", "acceptEdits", "plan", "dontAsk", "bypassPermissions"] as const;

/** How tool calls that no rule allows are decided. */
export type PermissionMode = (typeof PERMISSION_MODES)[number];

/** How a turn is run. Everything has a safe default; nothing is read from settings files unless asked for. */
export interface ClaudeOptions {
  /** Where the agent works; the current directory by default. */
  readonly cwd?: string;
  /** Further directories that the agent may read and write. */
  readonly additionalDirectories?: readonly string[];
  readonly model?: string;
  /** `default` unless said otherwise: what is not allowed is asked for, and denied where nobody answers. */
  readonly permissionMode?: PermissionMode;
  /** Answers for calls that the rules leave open. */
  readonly canUseTool?: CanUseTool;
  /** The built-in tools to offer; all of Claude Code's by default. */
  readonly tools?: readonly string[];
  /** Rules for calls that need no answer, in the CLI's syntax: `Bash(git:*)`. */
  readonly allowedTools?: readonly string[];
  /** Tools and rules that are never allowed. */
  readonly disallowedTools?: readonly string[];
  /** Model responses that the turn may take. */
  readonly maxTurns?: number;
  /** Money that the turn may cost. */
  readonly maxBudgetUsd?: number;
  /** Time that the turn may take. */
  readonly timeoutMs?: number;
  /** The session to go on with. */
  readonly resume?: string;
  /** With `resume`: go on in a copy, and leave the session as it is. */
  readonly forkSession?: boolean;
  /** Instead of Claude Code's own. */
  readonly systemPrompt?: string;
  /** A JSON Schema: the answer then comes as `structuredOutput`. */
  readonly outputSchema?: Readonly<Record<string, unknown>>;
  readonly agents?: Readonly<Record<string, AgentDefinition>>;
  readonly mcpServers?: Readonly<Record<string, McpServerConfig>>;
  /** What Bash commands may reach. */
  readonly sandbox?: SandboxSettings;
  /** Which settings files to load; none by default. */
  readonly settingSources?: readonly ("user" | "project" | "local")[];
  /** Added to the environment of the CLI; `undefined` takes a variable away. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** The CLI to run instead of the one that comes with the SDK. */
  readonly cliPath?: string;
  /** Ends the turn. */
  readonly signal?: AbortSignal;
}
