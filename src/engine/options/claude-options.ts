import type {
  AgentDefinition,
  CanUseTool,
  EffortLevel,
  HookCallbackMatcher,
  HookEvent,
  SandboxSettings,
  SdkPluginConfig,
  SessionStore,
  SessionStoreFlush,
  Settings,
  SettingSource,
  ThinkingConfig,
} from "@anthropic-ai/claude-agent-sdk";
import type { ToolServer } from "./tool-server.ts";

/** How tool calls that no rule allows are decided. */
export const PERMISSION_MODES = ["default", "acceptEdits", "plan", "dontAsk", "bypassPermissions", "auto"] as const;

/** How tool calls that no rule allows are decided. */
export type PermissionMode = (typeof PERMISSION_MODES)[number];

/** A system prompt: text instead of Claude Code's own, or Claude Code's own with something added. */
export type SystemPrompt =
  | string
  | readonly string[]
  | {
      readonly type: "preset";
      readonly preset: "claude_code";
      /** Comes after Claude Code's own text. */
      readonly append?: string;
      /** Moves what differs from machine to machine into the first message, so that the prompt is cached better. */
      readonly excludeDynamicSections?: boolean;
    };

/** The built-in tools to offer: by name, none by an empty list, or all that Claude Code has. */
export type ToolSet = readonly string[] | { readonly type: "preset"; readonly preset: "claude_code" };

/**
 * How a turn is run. Everything has a safe default; nothing is read from settings files unless asked for. Paths are
 * relative to `cwd`.
 */
export interface ClaudeOptions {
  /** Where the agent works; the current directory by default. */
  readonly cwd?: string;
  /** Further directories that the agent may read and write. */
  readonly additionalDirectories?: readonly string[];

  /** The model, by name or alias; the CLI's own choice by default. */
  readonly model?: string;
  /** The model to take while `model` is overloaded or missing; several with commas between them. */
  readonly fallbackModel?: string;
  /** How much work the model puts into an answer. */
  readonly effort?: EffortLevel;
  /** Whether and how much the model thinks; it decides by itself by default. */
  readonly thinking?: ThinkingConfig;
  /** Beta features of the API, by the names of their headers. */
  readonly betas?: readonly string[];

  /** What the model is told first; Claude Code's own prompt by default. */
  readonly systemPrompt?: SystemPrompt;
  /** Takes the prompt as it is written: no `@path` is expanded, no slash command run. */
  readonly verbatimPrompts?: boolean;
  /** A JSON Schema: the answer then comes as `structuredOutput`. */
  readonly outputSchema?: Readonly<Record<string, unknown>>;

  /** `default` unless said otherwise: what is not allowed is asked for, and denied where nobody answers. */
  readonly permissionMode?: PermissionMode;
  /** Answers for calls that the rules leave open. */
  readonly canUseTool?: CanUseTool;
  /** The MCP tool that answers instead of `canUseTool`. */
  readonly permissionPromptToolName?: string;
  /** The built-in tools to offer; all of Claude Code's by default. */
  readonly tools?: ToolSet;
  /** Rules for calls that need no answer, in the CLI's syntax: `Bash(git:*)`. */
  readonly allowedTools?: readonly string[];
  /** Tools and rules that are never allowed. */
  readonly disallowedTools?: readonly string[];
  /** What Bash commands may reach. */
  readonly sandbox?: SandboxSettings;

  /** The session to go on with. */
  readonly resume?: string;
  /** Goes on with the newest session of `cwd`. */
  readonly continue?: boolean;
  /** With `resume` or `continue`: go on in a copy, and leave the session as it is. */
  readonly forkSession?: boolean;
  /** With `resume`: the last message to keep, by its UUID; what came after it is forgotten. */
  readonly resumeSessionAt?: string;
  /** With `resumeSessionAt`: the only turn that may be forgotten, by its prompt's UUID; otherwise the turn fails. */
  readonly resumeDropsTurn?: string;
  /** The UUID that a new session or a fork gets. */
  readonly sessionId?: string;
  /** The title that a new session gets. */
  readonly title?: string;
  /** Whether the session is kept on disk, to be resumed; true by default. */
  readonly persistSession?: boolean;
  /** Where the transcript is copied to while it is written, and resumed from. */
  readonly sessionStore?: SessionStore;
  /** Whether the store is written to in batches, as by default, or at once. */
  readonly sessionStoreFlush?: SessionStoreFlush;
  /** Time that the store may take to give a session; 60 000 by default. */
  readonly loadTimeoutMs?: number;
  /** Keeps copies of files that Write and Edit change, for `rewindFiles`. What Bash changes is not kept. */
  readonly enableFileCheckpointing?: boolean;

  /** Model responses that the turn may take; 500 by default. A sub-agent may take as many by itself, and never fewer than 500. */
  readonly maxResponses?: number;
  /** Tokens that the turn may use, those of the cache and of sub-agents included; it is stopped after the response that reaches them. */
  readonly maxTokens?: number;
  /** Money that the turn may cost, each turn of a conversation anew; it is looked at after each response. */
  readonly maxCostUsd?: number;
  /** Money that all turns of the conversation may cost together; of a recorded one, all of its history. 0 allows no turn more. */
  readonly maxConversationCostUsd?: number;
  /** Tokens that the model is told it has for the task, so that it comes to an end in time. */
  readonly taskBudget?: { readonly total: number };
  /** Time that the turn may take; 7 200 000 (two hours) by default. */
  readonly timeoutMs?: number;
  /**
   * Time without a new token or tool event, while no tool runs, after which the turn is ended; 300 000 (five minutes) by default. Pings are
   * no sign of life.
   */
  readonly idleTimeoutMs?: number;
  /** When the turn has to be over, in milliseconds since 1970. */
  readonly deadline?: number;
  /** Memory that the CLI and all that it starts may take together: held by a control group where one can be had, else by looking. */
  readonly memoryLimitMb?: number;
  /** Processes that the CLI and all that it starts may be together. */
  readonly maxProcesses?: number;
  /**
   * Bytes that a turn may add on the disk: in `cwd`, `additionalDirectories`, and the `HOME` and `TMPDIR` that `env` gives. They are
   * looked at again and again while the turn runs, so a fast writer gets further than this before it is ended.
   */
  readonly maxDiskBytes?: number;
  /** Time that an ended CLI may take to leave by itself before it is killed; 2000 by default. */
  readonly graceMs?: number;
  /** Ends the turn. */
  readonly signal?: AbortSignal;

  /** MCP servers, by name. */
  readonly mcpServers?: Readonly<Record<string, ToolServer>>;
  /** Uses no MCP server but those of `mcpServers` and `agents`. */
  readonly strictMcpConfig?: boolean;
  /** Subagents that the agent may delegate to, by name. */
  readonly agents?: Readonly<Record<string, AgentDefinition>>;
  /** The agent of `agents` or of the settings that leads: its prompt, tools and model then hold. */
  readonly agent?: string;
  /** Skills to offer: by name, or all that are found. */
  readonly skills?: readonly string[] | "all";
  /** Plugins to load, from directories. */
  readonly plugins?: readonly SdkPluginConfig[];
  /** Functions that the CLI calls at moments of the turn, by event. */
  readonly hooks?: Readonly<Partial<Record<HookEvent, readonly HookCallbackMatcher[]>>>;

  /** Which settings files to load; none by default. */
  readonly settingSources?: readonly SettingSource[];
  /** Settings that come before those of files: an object, or the path of a file. */
  readonly settings?: string | Settings;
  /** Added to the environment of the CLI; `undefined` takes a variable away. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Further flags for the CLI, without their dashes; `null` for one that takes no value. */
  readonly extraArgs?: Readonly<Record<string, string | null>>;
  /** The CLI to run instead of the one that comes with the SDK; relative to the current directory. */
  readonly cliPath?: string;

  /** Whether text comes piece by piece while it is written; true by default. */
  readonly includePartialMessages?: boolean;
  /** Whether messages tell of each hook that runs. */
  readonly includeHookEvents?: boolean;
  /** Whether the texts of subagents come too, and not their tool calls alone. */
  readonly forwardSubagentText?: boolean;
  /** Called with every message of the SDK as it is read, also with those that no event is made of. */
  readonly onMessage?: (message: unknown) => void;
  /** Called with what the CLI writes to standard error. */
  readonly stderr?: (text: string) => void;
  /** Makes the CLI log its own doings to this file. */
  readonly debugFile?: string;
}
