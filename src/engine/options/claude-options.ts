import type {
  CanUseTool,
  OnElicitation,
  OnUserDialog,
  SdkPluginConfig,
  SessionStore,
  Settings,
  ThinkingConfig,
  ToolConfig,
} from "@anthropic-ai/claude-agent-sdk";
import { z } from "zod";
import {
  agentSchema,
  callback,
  hooksSchema,
  mcpServerSchema,
  name,
  PERMISSION_MODES,
  sandboxSchema,
  text,
  type FieldsOf,
} from "./sdk-schemas.ts";
import type { ToolServer } from "./tool-server.ts";

/** Node's timers count milliseconds in 31 bits; a longer time would be over at once. */
const LONGEST_TIMER_MS = 2_147_483_647;

const time = z.number().positive().max(LONGEST_TIMER_MS);
const count = z.int().positive();
const amount = z.number().positive();
const texts = z.array(text).readonly();
const names = z.array(name).readonly();
const preset = { type: z.literal("preset"), preset: z.literal("claude_code") };

/** Ids become file names: nothing that leads to another folder is one. */
const id = z.string().regex(/^\w[\w-]*$/, { error: "a session id: letters, digits, - and _" });

/** The flags that would undo what the engine relies on or what the caller was promised. */
const RESERVED_FLAGS = ["input-format", "output-format", "permission-mode", "dangerously-skip-permissions"];

const flag = z
  .string()
  .regex(/^[a-zA-Z][\w-]*$/, { error: "named without leading dashes" })
  .refine((given) => !RESERVED_FLAGS.includes(given), { error: "left to Skein, which sets this flag itself" });

const thinkingDisplay = z.enum(["summarized", "omitted"]).optional();

const plugin = z.strictObject({
  type: z.literal("local"),
  path: text,
  skipMcpDiscovery: z.boolean().optional(),
}) as unknown as z.ZodType<SdkPluginConfig>;

const thinking = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("adaptive"), display: thinkingDisplay }),
  z.strictObject({ type: z.literal("enabled"), budgetTokens: count.optional(), display: thinkingDisplay }),
  z.strictObject({ type: z.literal("disabled") }),
]) as unknown as z.ZodType<ThinkingConfig>;

const ownPrompt = z.union([z.string(), z.array(z.string()).min(1).readonly()], {
  error: "a string or a list of strings",
});
const snapshot = z.boolean().optional();

const systemPrompt = z.union(
  [
    ownPrompt,
    z.discriminatedUnion("type", [
      z.strictObject({
        ...preset,
        append: z.string().optional(),
        excludeDynamicSections: z.boolean().optional(),
        snapshot,
      }),
      z.strictObject({ type: z.literal("custom"), prompt: ownPrompt, snapshot }),
    ]),
  ],
  { error: "a string, a list of strings, { type: 'preset', preset: 'claude_code' } or { type: 'custom', prompt }" },
);

type QuestionFields = FieldsOf<NonNullable<ToolConfig["askUserQuestion"]>>;

const toolConfig = z.strictObject({
  askUserQuestion: z
    .strictObject({ previewFormat: z.enum(["markdown", "html"]).optional() } satisfies QuestionFields)
    .optional(),
} satisfies Record<keyof ToolConfig, z.ZodType>) as unknown as z.ZodType<ToolConfig>;

const settingsRecord = z.record(z.string(), z.unknown()) as unknown as z.ZodType<Settings>;

const storeMethods = z.looseObject({ append: callback(), load: callback() });

const OPTIONS = {
  /** Where the agent works; the current directory by default. */
  cwd: text,
  /** Further directories that the agent may read and write. */
  additionalDirectories: texts,

  /** The model, by name or alias; the CLI's own choice by default. */
  model: text,
  /** The model to take while `model` is overloaded or missing; several with commas between them. */
  fallbackModel: text,
  /** How much work the model puts into an answer. */
  effort: z.enum(["low", "medium", "high", "xhigh", "max"]),
  /** Whether and how much the model thinks; it decides by itself by default. */
  thinking,
  /** Beta features of the API, by the names of their headers. */
  betas: names,

  /** What the model is told first; Claude Code's own prompt by default. */
  systemPrompt,
  /** Takes the prompt as it is written: no `@path` is expanded, no slash command run. */
  verbatimPrompts: z.boolean(),
  /** A JSON Schema: the answer then comes as `structuredOutput`. */
  outputSchema: z
    .record(z.string(), z.unknown(), {
      error: "a JSON Schema as a plain object (z.toJSONSchema makes one from a Zod schema)",
    })
    .readonly(),
  /** How often the model may try again where its answer does not have the shape of `outputSchema`; 4 by default. */
  outputRetries: z.int().nonnegative(),

  /** `default` unless said otherwise: what is not allowed is asked for, and denied where nobody answers. */
  permissionMode: z.enum(PERMISSION_MODES),
  /** Answers for calls that the rules leave open. */
  canUseTool: callback<CanUseTool>(),
  /** The MCP tool that answers instead of `canUseTool`. */
  permissionPromptToolName: name,
  /** Who answers what the rules leave open: this process, as by default, or nobody; then it is denied, and the agent is told why. */
  permissionPrompts: z.enum(["host", "none"]),
  /** What the agent does in permission mode `plan`, instead of planning a change of code. */
  planModeInstructions: text,
  /** The built-in tools to offer; all of Claude Code's by default. */
  tools: z.union([names, z.strictObject(preset)], {
    error: "a list of tool names, or { type: 'preset', preset: 'claude_code' }",
  }),
  /** Rules for calls that need no answer, in the CLI's syntax: `Bash(git:*)`. */
  allowedTools: texts,
  /** Tools and rules that are never allowed. */
  disallowedTools: texts,
  /** Other names for tools: a call of the first name runs the tool of the second. Rules and `canUseTool` see the second. */
  toolAliases: z.record(name, name).readonly(),
  /** Settings of single built-in tools. */
  toolConfig,
  /** What Bash commands may reach. */
  sandbox: sandboxSchema,

  /** The session to go on with. */
  resume: id,
  /** Goes on with the newest session of `cwd`. */
  continue: z.boolean(),
  /** With `resume` or `continue`: go on in a copy, and leave the session as it is. */
  forkSession: z.boolean(),
  /** With `resume`: the last message to keep, by its UUID; what came after it is forgotten. */
  resumeSessionAt: z.guid(),
  /** With `resumeSessionAt`: the only turn that may be forgotten, by its prompt's UUID; otherwise the turn fails. */
  resumeDropsTurn: z.guid(),
  /** The UUID that a new session or a fork gets. */
  sessionId: z.guid(),
  /** The title that a new session gets. */
  title: text,
  /** Whether the session is kept on disk, to be resumed; true by default. */
  persistSession: z.boolean(),
  /** Where the transcript is copied to while it is written, and resumed from. */
  sessionStore: z.custom<SessionStore>((value) => storeMethods.safeParse(value).success, {
    error: "a session store, with the methods append and load",
  }),
  /** Whether the store is written to in batches, as by default, or at once. */
  sessionStoreFlush: z.enum(["batched", "eager"]),
  /** Time that the store may take to give a session; 60 000 by default. */
  loadTimeoutMs: time,
  /** Keeps copies of files that Write and Edit change, for `rewindFiles`. What Bash changes is not kept. */
  enableFileCheckpointing: z.boolean(),

  /** Model responses that the turn may take; 500 by default. A sub-agent may take as many by itself, and never fewer than 500. */
  maxResponses: count,
  /** Tokens that the turn may use, those of the cache and of sub-agents included; it is stopped after the response that reaches them. */
  maxTokens: count,
  /** Money that the turn may cost, each turn of a conversation anew; it is looked at after each response. */
  maxCostUsd: amount,
  /** Money that all turns of the conversation may cost together; of a recorded one, all of its history. 0 allows no turn more. */
  maxConversationCostUsd: z.number().nonnegative(),
  /** Tokens that the model is told it has for the task, so that it comes to an end in time. */
  taskBudget: z.strictObject({ total: count }).readonly(),
  /** Time that the turn may take; 7 200 000 (two hours) by default. */
  timeoutMs: time,
  /** Time without a new token or tool event, while no tool runs, after which the turn is ended; 300 000 (five minutes) by default. */
  idleTimeoutMs: time,
  /** When the turn has to be over, in milliseconds since 1970. */
  deadline: amount,
  /** Memory that the CLI and all that it starts may take together: held by a control group where one can be had, else by looking. */
  memoryLimitMb: amount,
  /** Processes that the CLI and all that it starts may be together. */
  maxProcesses: count,
  /**
   * Bytes that a turn may add on the disk: in `cwd`, `additionalDirectories`, and the `HOME` and `TMPDIR` that `env` gives. They are
   * looked at again and again while the turn runs, so a fast writer gets further than this before it is ended.
   */
  maxDiskBytes: count,
  /** Time that an ended CLI may take to leave by itself before it is killed; 2000 by default. */
  graceMs: z.number().nonnegative().max(LONGEST_TIMER_MS),
  /** Ends the turn. */
  signal: z.instanceof(AbortSignal, { error: "an AbortSignal" }),

  /** MCP servers, by name. */
  mcpServers: z.record(text, z.union([callback<Extract<ToolServer, () => unknown>>(), mcpServerSchema])).readonly(),
  /** Uses no MCP server but those of `mcpServers` and `agents`. */
  strictMcpConfig: z.boolean(),
  /** Subagents that the agent may delegate to, by name. */
  agents: z.record(text, agentSchema).readonly(),
  /** The agent of `agents` or of the settings that leads: its prompt, tools and model then hold. */
  agent: text,
  /** Skills to offer: by name, or all that are found. */
  skills: z.union([names, z.literal("all")], { error: "a list of skill names, or 'all'" }),
  /** Plugins to load, from directories. */
  plugins: z.array(plugin).readonly(),
  /** How the CLI is told of `plugins`: by its arguments, as by default, or by its first request, which any number fits in. */
  pluginDelivery: z.enum(["argv", "initialize"]),
  /** Functions that the CLI calls at moments of the turn, by event. */
  hooks: hooksSchema,
  /** Answers an MCP server that asks for something; without it, the server is declined. */
  onElicitation: callback<OnElicitation>(),
  /** Answers the dialogs that the CLI wants shown, of the kinds in `supportedDialogKinds`. */
  onUserDialog: callback<OnUserDialog>(),
  /** The kinds of dialogs that `onUserDialog` can show; the CLI asks for no others. */
  supportedDialogKinds: texts,
  /** Whether an interrupt leaves background tasks running, because the caller ends each with `stopTask`; false by default. */
  perTaskStopAffordance: z.boolean(),

  /** Which settings files to load; none by default. */
  settingSources: z.array(z.enum(["user", "project", "local"])).readonly(),
  /** The checkout whose project settings hold, where `cwd` is a worktree of it. */
  projectConfigRoot: text,
  /** Settings that come before those of files: an object, or the path of a file. */
  settings: z.union([text, settingsRecord], {
    error: "the path of a file, or an object",
  }),
  /** Settings as an administrator's: they can only forbid, and give way to those that the machine has. */
  managedSettings: settingsRecord,
  /** Added to the environment of the CLI; `undefined` takes a variable away. */
  env: z.record(z.string().regex(/^[^=\0]+$/, { error: "named without =" }), z.string().optional()).readonly(),
  /** Further flags for the CLI, without their dashes; `null` for one that takes no value. */
  extraArgs: z.record(flag, z.string().nullable()).readonly(),
  /** The CLI to run instead of the one that comes with the SDK; relative to the current directory. */
  cliPath: text,
  /** What runs a `cliPath` that is a script; chosen by the SDK by default. */
  executable: z.enum(["bun", "deno", "node"]),
  /** Arguments for what runs a `cliPath` that is a script. */
  executableArgs: texts,

  /** Whether text comes piece by piece while it is written; true by default. */
  includePartialMessages: z.boolean(),
  /** Whether messages tell of each hook that runs. */
  includeHookEvents: z.boolean(),
  /** Whether the texts of subagents come too, and not their tool calls alone. */
  forwardSubagentText: z.boolean(),
  /** Whether the CLI tells every half minute what each subagent does; it asks the model for it, in the same turn's money. */
  agentProgressSummaries: z.boolean(),
  /** Whether the CLI proposes the next prompt after a turn: `receiveMessages` of a client has it, a single turn is over before it comes. */
  promptSuggestions: z.boolean(),
  /** Called with every message of the SDK as it is read, also with those that no event is made of. */
  onMessage: callback<(message: unknown) => void>(),
  /** Called with what the CLI writes to standard error. */
  stderr: callback<(text: string) => void>(),
  /** Makes the CLI log its own doings to this file. */
  debugFile: text,
};

/**
 * How a turn is run. Everything has a safe default; nothing is read from settings files unless asked for. Paths are
 * relative to `cwd`.
 */
export type ClaudeOptions = { readonly [Name in keyof typeof OPTIONS]?: z.output<(typeof OPTIONS)[Name]> };

/** How tool calls that no rule allows are decided. */
export type PermissionMode = (typeof PERMISSION_MODES)[number];

export const optionsSchema = z.strictObject(OPTIONS).partial();
