import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createFakeEngine } from "../testing/index.ts";
import { ClaudeEngine } from "./claude-engine.ts";
import type { ClaudeOptions } from "./options/claude-options.ts";
import { withPlugins } from "./plugins/with-plugins.ts";
import { createResilientEngine } from "./resilience/resilient-engine.ts";
import { engineSettingsKey, settingsKey } from "./settings-key.ts";

let cwd: string;
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), "skein-settings-"));
});
afterEach(async () => {
  await rm(cwd, { recursive: true });
});

const allow = async () => ({ behavior: "allow" as const });
const BASE: ClaudeOptions = {
  model: "sonnet",
  tools: ["Read"],
  env: { ANTHROPIC_BASE_URL: "http://127.0.0.1:1", A: "1" },
};

const OTHERS: readonly ClaudeOptions[] = [
  { model: "opus" },
  { fallbackModel: "haiku" },
  { effort: "low" },
  { systemPrompt: "Be brief." },
  { systemPrompt: { type: "preset", preset: "claude_code", append: "Be brief." } },
  { tools: ["Read", "Bash"] },
  { allowedTools: ["Bash"] },
  { disallowedTools: ["Bash"] },
  { permissionMode: "plan" },
  { sandbox: { enabled: true } },
  { outputSchema: { type: "object" } },
  { mcpServers: { one: { command: "one" } } },
  { agents: { one: { description: "one", prompt: "one" } } },
  { settingSources: ["project"] },
  { settings: { language: "de" } },
  { extraArgs: { bare: null } },
  { maxResponses: 3 },
  { additionalDirectories: ["/srv"] },
  { cliPath: "/nowhere/claude" },
  { permissionPrompts: "none" },
  { planModeInstructions: "Draw a map." },
  { toolAliases: { Shell: "Bash" } },
  { toolConfig: { askUserQuestion: { previewFormat: "html" } } },
  { managedSettings: { disableAllHooks: true } },
  { projectConfigRoot: "/srv" },
  { onElicitation: async () => ({ action: "decline" }) },
  { canUseTool: allow },
  { canUseTool: async () => ({ behavior: "allow" as const }) },
  { env: { ...BASE.env, A: "2" } },
  { env: { ...BASE.env, ANTHROPIC_BASE_URL: "http://127.0.0.1:2" } },
  { env: { ...BASE.env, ANTHROPIC_MODEL: "opus" } },
];

const SAME: readonly ClaudeOptions[] = [
  { cwd: "/srv", signal: new AbortController().signal, deadline: 1, graceMs: 1, title: "other", resume: "other" },
  { stderr: () => undefined, onMessage: () => undefined, debugFile: "log", includePartialMessages: false },
  { agentProgressSummaries: true, promptSuggestions: true, perTaskStopAffordance: true, pluginDelivery: "initialize" },
  { env: { A: "1", ANTHROPIC_API_KEY: "sk-other-0123456789", ANTHROPIC_BASE_URL: "http://127.0.0.1:1" } },
  { env: { ...BASE.env, MY_TOKEN: "other-0123456789" } },
];

test("every setting that decides an answer makes another key, and what does not, or is a secret, makes none", () => {
  const keys = OTHERS.map((options) => settingsKey({ ...BASE, ...options }, {}));
  expect(new Set([settingsKey(BASE, {}), ...keys]).size).toBe(OTHERS.length + 1);
  for (const options of SAME) expect(settingsKey({ ...BASE, ...options }, {})).toBe(settingsKey(BASE, {}));
  const reordered = Object.fromEntries(Object.entries(BASE).toReversed());
  expect(settingsKey(reordered, {})).toBe(settingsKey(BASE, {}));
  expect(settingsKey(BASE, { PATH: "/other", LANG: "de" })).toBe(settingsKey(BASE, {}));
  expect(settingsKey(BASE, { ANTHROPIC_MODEL: "opus" })).not.toBe(settingsKey(BASE, {}));
});

test("a file of settings counts by its content, and a CLI by what lies at its path", async () => {
  const options: ClaudeOptions = { cwd, settings: "settings.json", cliPath: join(cwd, "claude") };
  const keys = new Set<string>();
  for (const content of ["{}", '{"language":"de"}']) {
    await writeFile(join(cwd, "settings.json"), content);
    for (const cli of ["one", "another"]) {
      await writeFile(join(cwd, "claude"), cli);
      keys.add(settingsKey(options));
    }
  }
  expect(keys.size).toBe(4);
});

test("an engine's own options count as a turn's do, engines around it add theirs, and one that tells nothing is itself alone", () => {
  const engine = new ClaudeEngine({ model: "opus" });
  expect(engineSettingsKey(engine)).toBe(engineSettingsKey(new ClaudeEngine(), { model: "opus" }));
  expect(engineSettingsKey(engine)).not.toBe(engineSettingsKey(new ClaudeEngine()));
  const plugins = [{ name: "nothing" }];
  const [fake, other] = [createFakeEngine(() => "hello"), createFakeEngine(() => "hello")];
  const engines = [
    engine,
    createResilientEngine(engine),
    createResilientEngine(engine, { fallbackModel: "haiku" }),
    withPlugins(engine, plugins),
    withPlugins(engine, [{ name: "nothing" }]),
    fake,
    other,
    withPlugins(fake, plugins),
    withPlugins(other, plugins),
  ];
  const keys = engines.map((each) => engineSettingsKey(each));
  expect(new Set(keys).size).toBe(engines.length);
  expect(engines.map((each) => engineSettingsKey(each))).toEqual(keys);
  expect(engineSettingsKey(withPlugins(engine, plugins))).toBe(keys[3]);
  expect(engineSettingsKey(fake, { model: "haiku" })).not.toBe(engineSettingsKey(fake));
});
