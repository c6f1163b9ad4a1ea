import type {
  AgentDefinition,
  HookCallback,
  HookCallbackMatcher,
  HookEvent,
  McpServerConfig,
  SandboxSettings,
} from "@anthropic-ai/claude-agent-sdk";
import { z } from "zod";

/** How tool calls that no rule allows are decided. */
export const PERMISSION_MODES = ["default", "acceptEdits", "plan", "dontAsk", "bypassPermissions", "auto"] as const;

/** Text that becomes an argument of a process: there is some, and no NUL, which would cut it off. */
export const text = z
  .string()
  .min(1)
  .regex(/^[^\0]*$/, { error: "without NUL characters" });

/** A name in a list that the CLI takes with commas between: of a tool, a skill, a beta feature. */
export const name = z.string().regex(/^[^\s,()\0]+$/, { error: "one name, without spaces, commas or brackets" });

/** A function, to be called later. */
export function callback<Callback>(): z.ZodType<Callback> {
  return z.custom<Callback>((value) => typeof value === "function", { error: "a function" });
}

/**
 * The fields of a type of the SDK as schemas, for a strict object: a field that the SDK adds or drops does not
 * compile here.
 */
export type FieldsOf<Type> = {
  [Name in keyof Type as string extends Name ? never : number extends Name ? never : Name]-?: z.ZodType<
    Type[Name] | undefined
  >;
};

type ServerOf<Type> = FieldsOf<Extract<McpServerConfig, { type?: Type }>>;

const timeout = z.number().positive().optional();
const alwaysLoad = z.boolean().optional();
const strings = z.record(text, z.string()).optional();

const toolPolicies = z
  .array(
    z.strictObject({
      name: text,
      permission_policy: z.enum(["always_allow", "always_ask", "always_deny"]).optional(),
      org_max_permission: z.enum(["allow", "ask", "blocked"]).optional(),
    }),
  )
  .optional() as z.ZodType<ServerOf<"http">["tools"] extends z.ZodType<infer Policies> ? Policies : never>;

const instance = z.custom<Extract<McpServerConfig, { type: "sdk" }>["instance"]>(
  (value) => typeof value === "object" && value !== null && "connect" in value,
  { error: "an MCP server, as createSdkMcpServer makes it" },
);

const STDIO = {
  type: z.literal("stdio").optional(),
  command: text,
  args: z.array(z.string()).optional(),
  env: strings,
  timeout,
  alwaysLoad,
} satisfies ServerOf<"stdio">;

const REMOTE = { url: text, headers: strings, tools: toolPolicies, timeout, alwaysLoad };
const SSE = { type: z.literal("sse"), ...REMOTE } satisfies ServerOf<"sse">;
const HTTP = { type: z.literal("http"), ...REMOTE } satisfies ServerOf<"http">;
const SDK = { type: z.literal("sdk"), name: text, instance, tools: toolPolicies, timeout } satisfies ServerOf<"sdk">;

/** An MCP server: a command, an address, or an object in this process. One without `type` is a command. */
export const mcpServerSchema = z.discriminatedUnion("type", [
  z.strictObject(STDIO),
  z.strictObject(SSE),
  z.strictObject(HTTP),
  z.strictObject(SDK),
]) as unknown as z.ZodType<McpServerConfig>;

const AGENT = {
  description: text,
  prompt: text,
  tools: z.array(name).optional(),
  disallowedTools: z.array(text).optional(),
  model: text.optional(),
  mcpServers: z.array(z.union([text, z.record(text, mcpServerSchema)])).optional() as z.ZodType<
    AgentDefinition["mcpServers"]
  >,
  skills: z.array(name).optional(),
  initialPrompt: text.optional(),
  maxTurns: z.int().positive().optional(),
  autoCompactWindow: z.int().positive().optional(),
  background: z.boolean().optional(),
  omitClaudeMd: z.boolean().optional(),
  memory: z.enum(["user", "project", "local"]).optional(),
  effort: z.union([z.enum(["low", "medium", "high", "xhigh", "max"]), z.int()]).optional(),
  permissionMode: z.enum(PERMISSION_MODES).optional(),
  observer: text.optional(),
  observerMessage: z.string().optional(),
  criticalSystemReminder_EXPERIMENTAL: z.string().optional(),
} satisfies FieldsOf<AgentDefinition>;

/** A subagent. Strict, because a misspelt `tools` would give it all of them. */
export const agentSchema = z.strictObject(AGENT) as unknown as z.ZodType<AgentDefinition>;

/** The SDK has this list too, but to load the SDK takes longer than many a command. */
export const HOOK_EVENTS = [
  "PreToolUse",
  "PostToolUse",
  "PostToolUseFailure",
  "PostToolBatch",
  "Notification",
  "UserPromptSubmit",
  "UserPromptExpansion",
  "SessionStart",
  "SessionEnd",
  "Stop",
  "StopFailure",
  "SubagentStart",
  "SubagentStop",
  "PreCompact",
  "PostCompact",
  "PreModelSwitch",
  "PostModelSwitch",
  "PermissionRequest",
  "PermissionDenied",
  "Setup",
  "TeammateIdle",
  "TaskCreated",
  "TaskCompleted",
  "Elicitation",
  "ElicitationResult",
  "ConfigChange",
  "WorktreeCreate",
  "WorktreeRemove",
  "InstructionsLoaded",
  "CwdChanged",
  "FileChanged",
  "DirectoryAdded",
  "MessageDisplay",
] as const satisfies readonly HookEvent[];

const MATCHER = {
  matcher: z.string().optional(),
  hooks: z.array(callback<HookCallback>()).min(1),
  timeout: z.number().positive().optional(),
  onFailure: z.enum(["continue", "block"]).optional(),
} satisfies FieldsOf<HookCallbackMatcher>;

const matchers = z.array(z.strictObject(MATCHER)).optional();

/** Hooks by event. Strict, because a hook of a misspelt event would never be called. */
export const hooksSchema = z.strictObject(
  Object.fromEntries(HOOK_EVENTS.map((event) => [event, matchers])),
) as unknown as z.ZodType<Readonly<Partial<Record<HookEvent, readonly HookCallbackMatcher[]>>>>;

const flag = z.boolean().optional();
const texts = z.array(text).optional();
const port = z.int().min(1).max(65_535).optional();

const NETWORK = {
  allowedDomains: texts,
  deniedDomains: texts,
  strictAllowlist: flag,
  allowManagedDomainsOnly: flag,
  allowUnixSockets: texts,
  allowAllUnixSockets: flag,
  allowLocalBinding: flag,
  allowMachLookup: texts,
  httpProxyPort: port,
  socksProxyPort: port,
  tlsTerminate: z.strictObject({ caCertPath: text.optional(), caKeyPath: text.optional() }).optional(),
} satisfies FieldsOf<NonNullable<SandboxSettings["network"]>>;

const FILESYSTEM = {
  allowWrite: texts,
  denyWrite: texts,
  denyRead: texts,
  allowRead: texts,
  allowManagedReadPathsOnly: flag,
  disabled: flag,
} satisfies FieldsOf<NonNullable<SandboxSettings["filesystem"]>>;

const SANDBOX = {
  enabled: flag,
  failIfUnavailable: flag,
  autoAllowBashIfSandboxed: flag,
  allowUnsandboxedCommands: flag,
  network: z.strictObject(NETWORK).optional(),
  filesystem: z.strictObject(FILESYSTEM).optional(),
  // The CLI checks it, and refuses to run where the sandbox is on and something in here is wrong.
  credentials: z.record(z.string(), z.unknown()).optional() as z.ZodType<SandboxSettings["credentials"]>,
  ignoreViolations: z.record(z.string(), z.array(text)).optional(),
  enableWeakerNestedSandbox: flag,
  allowNestedUserNamespaces: flag,
  enableWeakerNetworkIsolation: flag,
  allowAppleEvents: flag,
  excludedCommands: texts,
  ripgrep: z.strictObject({ command: text, args: z.array(z.string()).optional() }).optional(),
  bwrapPath: text.optional(),
  socatPath: text.optional(),
} satisfies FieldsOf<SandboxSettings>;

/** The sandbox. Strict, because the CLI passes over what it does not know: a misspelt `enabled` would confine nothing. */
export const sandboxSchema = z.strictObject(SANDBOX) as unknown as z.ZodType<SandboxSettings>;
