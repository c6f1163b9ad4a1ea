import { z } from "zod";
import { agentSchema, callback, hooksSchema, mcpServerSchema, name, sandboxSchema, text } from "./sdk-schemas.ts";
import { PERMISSION_MODES, type ClaudeOptions } from "./claude-options.ts";
import type { ToolServer } from "./tool-server.ts";

/** Node's timers count milliseconds in 31 bits; a longer time would be over at once. */
const LONGEST_TIMER_MS = 2_147_483_647;

const time = z.number().positive().max(LONGEST_TIMER_MS);
const count = z.int().positive();
const amount = z.number().positive();
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
}) as unknown as z.ZodType<NonNullable<ClaudeOptions["plugins"]>[number]>;

const thinking = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("adaptive"), display: thinkingDisplay }),
  z.strictObject({ type: z.literal("enabled"), budgetTokens: count.optional(), display: thinkingDisplay }),
  z.strictObject({ type: z.literal("disabled") }),
]) as unknown as z.ZodType<NonNullable<ClaudeOptions["thinking"]>>;

const systemPrompt = z.union(
  [
    z.string(),
    z.array(z.string()).min(1),
    z.strictObject({ ...preset, append: z.string().optional(), excludeDynamicSections: z.boolean().optional() }),
  ],
  { error: "a string, a list of strings, or { type: 'preset', preset: 'claude_code' }" },
) as unknown as z.ZodType<NonNullable<ClaudeOptions["systemPrompt"]>>;

const sessionStore = z.custom<NonNullable<ClaudeOptions["sessionStore"]>>(
  (value) => hasMethods(value, ["append", "load"]),
  { error: "a session store, with the methods append and load" },
);

const jsonSchema = z.record(z.string(), z.unknown(), {
  error: "a JSON Schema as a plain object (z.toJSONSchema makes one from a Zod schema)",
});

/** What each option may be. The names are those of `ClaudeOptions`: one that is missing or too many does not compile. */
const OPTIONS = {
  cwd: text,
  additionalDirectories: z.array(text),
  model: text,
  fallbackModel: text,
  effort: z.enum(["low", "medium", "high", "xhigh", "max"]),
  thinking,
  betas: z.array(name),
  systemPrompt,
  verbatimPrompts: z.boolean(),
  outputSchema: jsonSchema,
  permissionMode: z.enum(PERMISSION_MODES),
  canUseTool: callback<NonNullable<ClaudeOptions["canUseTool"]>>(),
  permissionPromptToolName: name,
  tools: z.union([z.array(name), z.strictObject(preset)], {
    error: "a list of tool names, or { type: 'preset', preset: 'claude_code' }",
  }),
  allowedTools: z.array(text),
  disallowedTools: z.array(text),
  sandbox: sandboxSchema,
  resume: id,
  continue: z.boolean(),
  forkSession: z.boolean(),
  resumeSessionAt: z.guid(),
  resumeDropsTurn: z.guid(),
  sessionId: z.guid(),
  title: text,
  persistSession: z.boolean(),
  sessionStore,
  sessionStoreFlush: z.enum(["batched", "eager"]),
  loadTimeoutMs: time,
  enableFileCheckpointing: z.boolean(),
  maxResponses: count,
  maxTokens: count,
  maxCostUsd: amount,
  maxConversationCostUsd: z.number().nonnegative(),
  taskBudget: z.strictObject({ total: count }),
  timeoutMs: time,
  idleTimeoutMs: time,
  deadline: amount,
  memoryLimitMb: amount,
  maxProcesses: count,
  maxDiskBytes: count,
  graceMs: z.number().nonnegative().max(LONGEST_TIMER_MS),
  signal: z.instanceof(AbortSignal, { error: "an AbortSignal" }),
  mcpServers: z.record(text, z.union([callback<Extract<ToolServer, () => unknown>>(), mcpServerSchema])),
  strictMcpConfig: z.boolean(),
  agents: z.record(text, agentSchema),
  agent: text,
  skills: z.union([z.array(name), z.literal("all")], { error: "a list of skill names, or 'all'" }),
  plugins: z.array(plugin),
  hooks: hooksSchema,
  settingSources: z.array(z.enum(["user", "project", "local"])),
  settings: z.union([text, z.record(z.string(), z.unknown())], { error: "the path of a file, or an object" }),
  env: z.record(z.string().regex(/^[^=\0]+$/, { error: "named without =" }), z.string().optional()),
  extraArgs: z.record(flag, z.string().nullable()),
  cliPath: text,
  includePartialMessages: z.boolean(),
  includeHookEvents: z.boolean(),
  forwardSubagentText: z.boolean(),
  onMessage: callback<NonNullable<ClaudeOptions["onMessage"]>>(),
  stderr: callback<NonNullable<ClaudeOptions["stderr"]>>(),
  debugFile: text,
} satisfies { [Name in keyof ClaudeOptions]-?: z.ZodType<NonNullable<ClaudeOptions[Name]>> };

/** What `ClaudeOptions` may hold: these names and no others, each with a value that can work. */
export const optionsSchema = z.strictObject(OPTIONS).partial();

/** The names of all options. */
export const optionNames: readonly string[] = Object.keys(OPTIONS);

function hasMethods(value: unknown, methods: readonly string[]): boolean {
  return (
    typeof value === "object" &&
    value !== null &&
    methods.every((method) => typeof (value as Record<string, unknown>)[method] === "function")
  );
}
