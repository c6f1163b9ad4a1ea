import { describe, expect, test } from "vitest";
import { ClaudeConfigError } from "../../core/index.ts";
import { parseClaudeOptions } from "./parse-options.ts";

const UUID = "0b5d3c5e-4f0e-4a53-9c55-0a4b6c6f5f11";
const store = { append: async () => {}, load: async () => null };

/** Every option with a value that is fine; those that exclude each other are below. */
const FULL = {
  cwd: "/tmp",
  additionalDirectories: ["../elsewhere"],
  model: "claude-sonnet-5-5",
  fallbackModel: "claude-haiku-4-5,sonnet",
  effort: "xhigh",
  thinking: { type: "enabled", budgetTokens: 2000, display: "omitted" },
  betas: ["context-1m-2025-08-07"],
  systemPrompt: { type: "preset", preset: "claude_code", append: "Be brief.", excludeDynamicSections: true },
  verbatimPrompts: true,
  outputSchema: { type: "object" },
  outputRetries: 0,
  permissionMode: "auto",
  canUseTool: async () => ({ behavior: "allow" }),
  tools: { type: "preset", preset: "claude_code" },
  allowedTools: ["Bash(git commit -m:*)", "mcp__notes__*"],
  disallowedTools: ["WebFetch"],
  toolAliases: { Shell: "mcp__plain__shell" },
  toolConfig: { askUserQuestion: { previewFormat: "html" } },
  permissionPrompts: "host",
  planModeInstructions: "Draw a map.",
  sandbox: { enabled: true, network: { allowedDomains: [] }, filesystem: { denyRead: ["~/.ssh"] } },
  resume: UUID,
  forkSession: true,
  resumeSessionAt: UUID,
  resumeDropsTurn: UUID,
  sessionId: UUID,
  title: "A title; with $(characters) `that` stay",
  persistSession: true,
  sessionStore: store,
  sessionStoreFlush: "eager",
  loadTimeoutMs: 1000,
  enableFileCheckpointing: false,
  maxResponses: 3,
  maxTokens: 100_000,
  maxCostUsd: 0.01,
  maxConversationCostUsd: 0.05,
  taskBudget: { total: 20_000 },
  timeoutMs: 1,
  idleTimeoutMs: 0.5,
  deadline: 1_800_000_000_000,
  memoryLimitMb: 512,
  maxProcesses: 64,
  maxDiskBytes: 1_000_000,
  graceMs: 0,
  signal: new AbortController().signal,
  mcpServers: {
    plain: { command: "node", args: ["server.js"], env: { KEY: "" } },
    http: { type: "http", url: "http://127.0.0.1:1", headers: { "x-key": "1" } },
    sse: { type: "sse", url: "http://127.0.0.1:1", tools: [{ name: "read", permission_policy: "always_ask" }] },
    own: { type: "sdk", name: "own", instance: { connect: async () => {} } },
  },
  strictMcpConfig: true,
  agents: { reviewer: { description: "Reviews", prompt: "Review.", tools: ["Read"], effort: "low" } },
  agent: "reviewer",
  skills: "all",
  plugins: [{ type: "local", path: "./plugin" }],
  pluginDelivery: "initialize",
  onElicitation: async () => ({ action: "decline" }),
  onUserDialog: async () => ({ behavior: "cancelled" }),
  supportedDialogKinds: ["refusal_fallback_prompt"],
  perTaskStopAffordance: true,
  hooks: { PreToolUse: [{ matcher: "Bash", hooks: [async () => ({ continue: true })], timeout: 5 }] },
  settingSources: ["user", "project", "local"],
  settings: { model: "sonnet" },
  projectConfigRoot: "../main",
  managedSettings: { sandbox: { network: { allowManagedDomainsOnly: true } } },
  env: { ADDED: "", TAKEN: undefined },
  extraArgs: { chrome: null, "some-flag": "value" },
  cliPath: "claude.js",
  executable: "bun",
  executableArgs: ["--smol"],
  includePartialMessages: false,
  includeHookEvents: true,
  forwardSubagentText: true,
  agentProgressSummaries: true,
  promptSuggestions: true,
  onMessage: () => {},
  stderr: () => {},
  debugFile: "debug.log",
};

describe("options that can work", () => {
  test("come back as they were given, with nothing added and nothing taken", () => {
    const before = { ...FULL };
    expect(parseClaudeOptions(FULL)).toBe(FULL);
    expect(FULL).toEqual(before);
  });

  test.each([
    {},
    { model: undefined, tools: undefined },
    { tools: [] },
    { tools: ["Read", "mcp__notes__add"] },
    { skills: ["pdf", "plugin:docx"] },
    { systemPrompt: "" },
    { systemPrompt: ["One.", "Two."] },
    { systemPrompt: { type: "preset", preset: "claude_code", snapshot: true } },
    { systemPrompt: { type: "custom", prompt: ["One.", "Two."], snapshot: false } },
    { permissionPrompts: "none", sandbox: { enabled: true } },
    { thinking: { type: "adaptive" } },
    { thinking: { type: "disabled" } },
    { settings: "settings.json" },
    { continue: true, forkSession: true, sessionId: UUID },
    { sandbox: { enabled: true }, permissionMode: "bypassPermissions" },
    { canUseTool: undefined, permissionPromptToolName: "mcp__asker__ask" },
    { forkSession: false, continue: false },
  ])("may be %j", (options) => {
    expect(parseClaudeOptions(options)).toBe(options);
  });
});

describe("a value that cannot work", () => {
  test.each<readonly [options: unknown, target: string | undefined, message: string]>([
    ["fast", undefined, "The options are 'fast'; they must be an object"],
    [["fast"], undefined, "The options are a list; they must be an object"],
    [{ cwd: "" }, "cwd", "cwd is ''; it must be non-empty"],
    [{ cwd: "/tmp\0/x" }, "cwd", "cwd is '/tmp\\x00/x'; it must be without NUL characters"],
    [{ model: 5 }, "model", "model is 5; it must be a string"],
    [{ model: null }, "model", "model is null; it must be a string"],
    [{ effort: "huge" }, "effort", "effort is 'huge'; it must be one of low, medium, high, xhigh, max"],
    [
      { thinking: { type: "sometimes" } },
      "thinking.type",
      "thinking.type is 'sometimes'; it must be one of adaptive, enabled, disabled",
    ],
    [
      { thinking: { type: "enabled", budgetTokens: 0.5 } },
      "thinking.budgetTokens",
      "thinking.budgetTokens is 0.5; it must be a whole number",
    ],
    [
      { systemPrompt: 7 },
      "systemPrompt",
      "systemPrompt is 7; it must be a string, a list of strings, { type: 'preset', preset: 'claude_code' } or { type: 'custom', prompt }",
    ],
    [
      { systemPrompt: { type: "preset", preset: "vi" } },
      "systemPrompt.preset",
      "systemPrompt.preset is 'vi'; it must be claude_code",
    ],
    [
      { systemPrompt: { type: "custom", prompt: 7 } },
      "systemPrompt.prompt",
      "systemPrompt.prompt is 7; it must be a string or a list of strings",
    ],
    [
      { toolConfig: { askUserQuestion: { previewFormat: "pdf" } } },
      "toolConfig.askUserQuestion.previewFormat",
      "toolConfig.askUserQuestion.previewFormat is 'pdf'; it must be one of markdown, html",
    ],
    [
      { toolAliases: { Shell: "Bash(git:*)" } },
      "toolAliases.Shell",
      "toolAliases.Shell is 'Bash(git:*)'; it must be one name, without spaces, commas or brackets",
    ],
    [
      { permissionPrompts: "nobody" },
      "permissionPrompts",
      "permissionPrompts is 'nobody'; it must be one of host, none",
    ],
    [{ outputRetries: -1 }, "outputRetries", "outputRetries is -1; it must be at least 0"],
    [{ planModeInstructions: "" }, "planModeInstructions", "planModeInstructions is ''; it must be non-empty"],
    [{ pluginDelivery: "post" }, "pluginDelivery", "pluginDelivery is 'post'; it must be one of argv, initialize"],
    [{ onElicitation: {} }, "onElicitation", "onElicitation is an object; it must be a function"],
    [{ onUserDialog: "ask" }, "onUserDialog", "onUserDialog is 'ask'; it must be a function"],
    [{ supportedDialogKinds: "all" }, "supportedDialogKinds", "supportedDialogKinds is 'all'; it must be a list"],
    [{ perTaskStopAffordance: 1 }, "perTaskStopAffordance", "perTaskStopAffordance is 1; it must be true or false"],
    [{ projectConfigRoot: "" }, "projectConfigRoot", "projectConfigRoot is ''; it must be non-empty"],
    [{ managedSettings: "{}" }, "managedSettings", "managedSettings is of type string; it must be a plain object"],
    [{ executable: "sh" }, "executable", "executable is 'sh'; it must be one of bun, deno, node"],
    [{ executableArgs: "-r x" }, "executableArgs", "executableArgs is of type string; it must be a list"],
    [
      { agentProgressSummaries: "y" },
      "agentProgressSummaries",
      "agentProgressSummaries is 'y'; it must be true or false",
    ],
    [{ promptSuggestions: 0 }, "promptSuggestions", "promptSuggestions is 0; it must be true or false"],
    [
      { outputSchema: new Map() },
      "outputSchema",
      "outputSchema is an object; it must be a JSON Schema as a plain object (z.toJSONSchema makes one from a Zod schema)",
    ],
    [
      { permissionMode: "yolo" },
      "permissionMode",
      "permissionMode is 'yolo'; it must be one of default, acceptEdits, plan, dontAsk, bypassPermissions, auto",
    ],
    [{ canUseTool: true }, "canUseTool", "canUseTool is true; it must be a function"],
    [
      { tools: "Read" },
      "tools",
      "tools is 'Read'; it must be a list of tool names, or { type: 'preset', preset: 'claude_code' }",
    ],
    [
      { tools: ["Read", "Bash(git:*)"] },
      "tools[1]",
      "tools[1] is 'Bash(git:*)'; it must be one name, without spaces, commas or brackets",
    ],
    [{ allowedTools: "Bash" }, "allowedTools", "allowedTools is 'Bash'; it must be a list"],
    [{ allowedTools: ["Bash", ""] }, "allowedTools[1]", "allowedTools[1] is ''; it must be non-empty"],
    [
      { sandbox: { network: { httpProxyPort: 70_000 } } },
      "sandbox.network.httpProxyPort",
      "sandbox.network.httpProxyPort is 70000; it must be at most 65535",
    ],
    [
      { resume: "../../etc/passwd" },
      "resume",
      "resume is '../../etc/passwd'; it must be a session id: letters, digits, - and _",
    ],
    [{ resume: "" }, "resume", "resume is ''; it must be a session id: letters, digits, - and _"],
    [{ resume: "--help" }, "resume", "resume is '--help'; it must be a session id: letters, digits, - and _"],
    [{ sessionId: "mine" }, "sessionId", "sessionId is 'mine'; it must be a UUID"],
    [{ forkSession: "yes" }, "forkSession", "forkSession is 'yes'; it must be true or false"],
    [
      { sessionStore: {} },
      "sessionStore",
      "sessionStore is an object; it must be a session store, with the methods append and load",
    ],
    [{ maxResponses: 0 }, "maxResponses", "maxResponses is 0; it must be above 0"],
    [{ maxResponses: 1.5 }, "maxResponses", "maxResponses is 1.5; it must be a whole number"],
    [{ maxResponses: "3" }, "maxResponses", "maxResponses is '3'; it must be a finite number"],
    [{ maxCostUsd: -1 }, "maxCostUsd", "maxCostUsd is -1; it must be above 0"],
    [{ maxCostUsd: Number.NaN }, "maxCostUsd", "maxCostUsd is NaN; it must be a finite number"],
    [{ taskBudget: 5 }, "taskBudget", "taskBudget is 5; it must be an object"],
    [{ timeoutMs: Infinity }, "timeoutMs", "timeoutMs is Infinity; it must be a finite number"],
    [{ timeoutMs: 2 ** 31 }, "timeoutMs", "timeoutMs is 2147483648; it must be at most 2147483647"],
    [{ idleTimeoutMs: 0 }, "idleTimeoutMs", "idleTimeoutMs is 0; it must be above 0"],
    [{ deadline: "tomorrow" }, "deadline", "deadline is 'tomorrow'; it must be a finite number"],
    [{ memoryLimitMb: -5 }, "memoryLimitMb", "memoryLimitMb is -5; it must be above 0"],
    [{ graceMs: -1 }, "graceMs", "graceMs is -1; it must be at least 0"],
    [{ signal: { aborted: false } }, "signal", "signal is an object; it must be an AbortSignal"],
    [
      { mcpServers: { notes: { type: "ftp", url: "x" } } },
      "mcpServers.notes.type",
      "mcpServers.notes.type is 'ftp'; it must be one of stdio, sse, http, sdk",
    ],
    [
      { mcpServers: { notes: { args: [] } } },
      "mcpServers.notes.command",
      "mcpServers.notes.command is missing; it must be a string",
    ],
    [
      { mcpServers: { own: { type: "sdk", name: "own", instance: {} } } },
      "mcpServers.own.instance",
      "mcpServers.own.instance is an object; it must be an MCP server, as createSdkMcpServer makes it",
    ],
    [
      { agents: { helper: { description: "Helps" } } },
      "agents.helper.prompt",
      "agents.helper.prompt is missing; it must be a string",
    ],
    [{ skills: "some" }, "skills", "skills is 'some'; it must be a list of skill names, or 'all'"],
    [{ plugins: ["./plugin"] }, "plugins[0]", "plugins[0] is './plugin'; it must be an object"],
    [
      { hooks: { PreToolUse: [{ hooks: ["log"] }] } },
      "hooks.PreToolUse[0].hooks[0]",
      "hooks.PreToolUse[0].hooks[0] is 'log'; it must be a function",
    ],
    [
      { settingSources: ["user", "global"] },
      "settingSources[1]",
      "settingSources[1] is 'global'; it must be one of user, project, local",
    ],
    [{ env: { KEY: 5 } }, "env.KEY", "env.KEY is of type number; it must be a string"],
    [{ env: { "A=B": "" } }, "env.A=B", "env.A=B is of type string; it must be named without ="],
    [
      { extraArgs: { "--chrome": null } },
      "extraArgs.--chrome",
      "extraArgs.--chrome is null; it must be named without leading dashes",
    ],
    [
      { extraArgs: { "dangerously-skip-permissions": null } },
      "extraArgs.dangerously-skip-permissions",
      "extraArgs.dangerously-skip-permissions is null; it must be left to Skein, which sets this flag itself",
    ],
    [{ stderr: "pipe" }, "stderr", "stderr is 'pipe'; it must be a function"],
  ])("%j is refused, naming the option", (options, target, message) => {
    expect(refusal(options)).toMatchObject({
      name: "ClaudeConfigError",
      kind: "config",
      retryable: false,
      option: target?.split(/[.[]/)[0],
      target,
      message,
    });
  });

  test("that may be a secret is not repeated", () => {
    const secret = {
      env: { KEY: ["sk-secret"] },
      mcpServers: { a: { type: "http", url: "u", headers: { k: 5_551_234 } } },
    };
    expect(refusal({ env: secret.env }).message).not.toContain("sk-secret");
    expect(refusal({ mcpServers: secret.mcpServers }).message).not.toContain("5551234");
  });
});

describe("a name that there is not", () => {
  test.each([
    [{ modle: "x" }, "modle", "There is no option modle", "Did you mean model?"],
    [{ max_responses: 3 }, "max_responses", "There is no option max_responses", "Did you mean maxResponses?"],
    [{ add_dirs: [] }, "add_dirs", "There is no option add_dirs", "Did you mean additionalDirectories?"],
    [{ outputFormat: {} }, "outputFormat", "There is no option outputFormat", "Did you mean outputSchema?"],
    [{ maxTurns: 3 }, "maxTurns", "There is no option maxTurns", "Did you mean maxResponses?"],
    [{ maxBudgetUsd: 1 }, "maxBudgetUsd", "There is no option maxBudgetUsd", "Did you mean maxCostUsd?"],
    [{ flavour: 1 }, "flavour", "There is no option flavour", "docs/guide/running-agents.md lists the options."],
    [{ sandbox: { enable: true } }, "sandbox.enable", "sandbox has no field enable", "Did you mean enabled?"],
    [
      { agents: { helper: { description: "d", prompt: "p", tool: ["Read"] } } },
      "agents.helper.tool",
      "agents.helper has no field tool",
      "Did you mean tools?",
    ],
    [
      { systemPrompt: { type: "preset", preset: "claude_code", apend: "x" } },
      "systemPrompt.apend",
      "systemPrompt has no field apend",
      "Did you mean append?",
    ],
    [{ hooks: { PreToolUsed: [] } }, "hooks.PreToolUsed", "hooks has no field PreToolUsed", "Did you mean PreToolUse?"],
  ])("%j is refused, with the nearest that there is", (options, target, message, hint) => {
    expect(refusal(options)).toMatchObject({ option: target.split(".")[0], target, message, hint });
  });
});

function refusal(options: unknown): ClaudeConfigError {
  try {
    parseClaudeOptions(options);
  } catch (error) {
    if (error instanceof ClaudeConfigError) return error;
    throw error;
  }
  throw new Error("The options were taken");
}
