import type { McpServerConfig, SessionStore } from "@anthropic-ai/claude-agent-sdk";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import type { ClaudeOptions } from "../options/claude-options.ts";
import { bundledCliPath } from "./find-cli.ts";
import { toSdkOptions } from "./sdk-options.ts";

const ENVIRONMENT = { PATH: "/bin" };

test("without options, every default that matters is stated", () => {
  expect(toSdkOptions({}, ENVIRONMENT)).toStrictEqual({
    cwd: process.cwd(),
    additionalDirectories: [],
    permissionMode: "default",
    allowDangerouslySkipPermissions: false,
    allowedTools: [],
    disallowedTools: [],
    settingSources: [],
    systemPrompt: { type: "preset", preset: "claude_code" },
    maxTurns: 500,
    includePartialMessages: true,
    pathToClaudeCodeExecutable: bundledCliPath(),
    env: ENVIRONMENT,
  });
});

/** What the SDK calls the same, and takes as it is. */
const SAME = {
  model: "sonnet",
  fallbackModel: "haiku",
  effort: "high",
  thinking: { type: "disabled" },
  betas: ["context-1m-2025-08-07"],
  systemPrompt: ["One.", "Two."],
  verbatimPrompts: true,
  permissionMode: "plan",
  canUseTool: async () => ({ behavior: "deny", message: "no" }),
  permissionPromptToolName: "ask",
  tools: ["Read"],
  allowedTools: ["Read"],
  disallowedTools: ["Bash"],
  toolAliases: { Shell: "Read" },
  toolConfig: { askUserQuestion: { previewFormat: "html" } },
  permissionPrompts: "host",
  planModeInstructions: "Draw a map.",
  pluginDelivery: "initialize",
  onElicitation: async () => ({ action: "decline" }),
  onUserDialog: async () => ({ behavior: "cancelled" }),
  supportedDialogKinds: ["refusal_fallback_prompt"],
  perTaskStopAffordance: true,
  managedSettings: { disableAllHooks: true },
  executable: "node",
  executableArgs: ["--no-warnings"],
  agentProgressSummaries: true,
  promptSuggestions: true,
  sandbox: { enabled: true },
  resume: "session",
  continue: false,
  forkSession: true,
  resumeSessionAt: "message",
  resumeDropsTurn: "turn",
  sessionId: "fork",
  title: "Title",
  persistSession: false,
  sessionStore: { append: async () => {}, load: async () => null } satisfies SessionStore,
  sessionStoreFlush: "eager",
  loadTimeoutMs: 5,
  enableFileCheckpointing: true,
  taskBudget: { total: 9 },
  mcpServers: { notes: { command: "notes" } satisfies McpServerConfig },
  strictMcpConfig: true,
  agents: { helper: { description: "Helps", prompt: "Help." } },
  agent: "helper",
  skills: ["pdf"],
  hooks: { Stop: [{ hooks: [] }] },
  settingSources: ["project"],
  extraArgs: { chrome: null },
  includeHookEvents: true,
  forwardSubagentText: true,
  stderr: () => {},
} as const satisfies ClaudeOptions;

/** What the engine looks after itself: none of it is for the SDK. */
const OWN = {
  signal: new AbortController().signal,
  outputRetries: 2,
  timeoutMs: 1,
  idleTimeoutMs: 2,
  deadline: 3,
  maxTokens: 4,
  memoryLimitMb: 4,
  maxProcesses: 5,
  maxDiskBytes: 6,
  graceMs: 5,
  onMessage: () => {},
  includePartialMessages: false,
  env: { ADDED: "by the caller of buildEnv" },
} satisfies ClaudeOptions;

test("each option arrives, with paths in full", () => {
  const options: ClaudeOptions = {
    ...SAME,
    ...OWN,
    cwd: "/work",
    maxResponses: 3,
    maxCostUsd: 1,
    additionalDirectories: ["sub", "/other"],
    plugins: [{ type: "local", path: "plugin" }],
    settings: "settings.json",
    projectConfigRoot: "../main",
    debugFile: "debug.log",
    outputSchema: { type: "object" },
    cliPath: "./bin/claude",
  };
  expect(toSdkOptions(options, ENVIRONMENT)).toStrictEqual({
    ...SAME,
    systemPrompt: { type: "custom", prompt: ["One.", "Two."], snapshot: false },
    cwd: "/work",
    maxTurns: 3,
    maxBudgetUsd: 1,
    allowedTools: [],
    extraArgs: { ...SAME.extraArgs, allowedTools: "Read" },
    additionalDirectories: ["/work/sub", "/other"],
    plugins: [{ type: "local", path: "/work/plugin" }],
    settings: "/work/settings.json",
    projectConfigRoot: "/main",
    debugFile: "/work/debug.log",
    outputFormat: { type: "json_schema", schema: { type: "object" } },
    pathToClaudeCodeExecutable: resolve("bin/claude"),
    allowDangerouslySkipPermissions: false,
    includePartialMessages: true,
    env: ENVIRONMENT,
  });
});

test("of two limits on money the CLI is given the smaller", () => {
  const money = { maxCostUsd: 1, maxConversationCostUsd: 0.25 };
  expect(toSdkOptions(money, ENVIRONMENT)).toMatchObject({ maxBudgetUsd: 0.25 });
});

test("a session that goes on is told its system prompt anew, in each form", () => {
  const preset = { type: "preset", preset: "claude_code" } as const;
  const past = { continue: true };
  const given = [{}, { systemPrompt: "One." }, { systemPrompt: { ...preset, append: "More." } }];
  expect(given.map((options) => toSdkOptions({ ...options, ...past }, ENVIRONMENT).systemPrompt)).toStrictEqual([
    { ...preset, snapshot: false },
    { type: "custom", prompt: "One.", snapshot: false },
    { ...preset, append: "More.", snapshot: false },
  ]);
  const recorded = { type: "custom", prompt: ["One."], snapshot: true } as const;
  expect(toSdkOptions({ systemPrompt: recorded, ...past }, ENVIRONMENT).systemPrompt).toStrictEqual(recorded);
  expect(toSdkOptions({ systemPrompt: recorded }, ENVIRONMENT).systemPrompt).toStrictEqual(recorded);
  expect(toSdkOptions({ systemPrompt: "One.", continue: false }, ENVIRONMENT).systemPrompt).toBe("One.");
});

test("the other forms arrive too", () => {
  const options: ClaudeOptions = {
    permissionMode: "bypassPermissions",
    systemPrompt: { type: "preset", preset: "claude_code", append: "More." },
    tools: { type: "preset", preset: "claude_code" },
    skills: "all",
    settings: { model: "sonnet" },
  };
  expect(toSdkOptions({ ...options, cliPath: "claude" }, ENVIRONMENT)).toStrictEqual({
    ...toSdkOptions({}, ENVIRONMENT),
    ...options,
    allowDangerouslySkipPermissions: true,
    pathToClaudeCodeExecutable: "claude",
  });
});
