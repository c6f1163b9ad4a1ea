import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { defineScenario } from "../../offline/index.ts";
import { startOfflineAgent } from "../../testing/index.ts";
import { bundledCliPath } from "../start-up/find-cli.ts";

/** Stands before the real CLI, as a script, and writes down how it was called and what it was told first. */
const SCRIPT = `
import { spawn } from "node:child_process";
import { writeFileSync, appendFileSync } from "node:fs";
const [cli, seen, args] = [${JSON.stringify(bundledCliPath())}, process.env.SEEN, process.argv.slice(2)];
const child = spawn(cli, args, { stdio: ["pipe", "inherit", "inherit"] });
if (args.includes("--input-format")) writeFileSync(seen, JSON.stringify({ flags: process.execArgv, args, preview: process.env.CLAUDE_CODE_QUESTION_PREVIEW_FORMAT }) + "\\n");
process.stdin.on("data", (data) => (appendFileSync(seen, data), child.stdin.write(data)));
process.stdin.on("end", () => child.stdin.end());
child.on("exit", (code) => process.exit(code ?? 1));
`;

const scenario = defineScenario({
  name: "passed on",
  rules: [
    {
      when: { prompt: "^Make" },
      steps: [
        { call: { tool: "Shell", input: { command: "touch made", description: "Make" } } },
        { call: { tool: "Bash", input: { command: "rm -f made", description: "Take away" } } },
        { say: "Done." },
      ],
    },
    { steps: [{ say: "hello" }] },
  ],
});

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "skein-passed-on-"));
  await writeFile(join(folder, "cli.mjs"), SCRIPT);
  await mkdir(join(folder, "main"));
  await mkdir(join(folder, "plugin", ".claude-plugin"), { recursive: true });
  await writeFile(join(folder, "plugin", ".claude-plugin", "plugin.json"), JSON.stringify({ name: "ducks" }));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

test("what only passes through Skein reaches the CLI, also one that is a script", async () => {
  const seen = join(folder, "seen.jsonl");
  await using agent = await startOfflineAgent(scenario, {
    cliPath: join(folder, "cli.mjs"),
    executable: "node",
    executableArgs: ["--no-warnings"],
    projectConfigRoot: join(folder, "main"),
    plugins: [{ type: "local", path: join(folder, "plugin") }],
    pluginDelivery: "initialize",
    permissionMode: "plan",
    planModeInstructions: "Draw a map of the ducks.",
    permissionPrompts: "none",
    toolConfig: { askUserQuestion: { previewFormat: "html" } },
    managedSettings: { cleanupPeriodDays: 9 },
    supportedDialogKinds: ["refusal_fallback_prompt"],
    onUserDialog: async () => ({ behavior: "cancelled" }),
    onElicitation: async () => ({ action: "decline" }),
    perTaskStopAffordance: true,
    promptSuggestions: true,
    agentProgressSummaries: true,
    systemPrompt: { type: "custom", prompt: ["You are a duck.", "You swim."] },
    env: { SEEN: seen },
  });
  const result = await agent.engine.execute("Say hello");
  expect(result).toMatchObject({ isError: false, text: "hello" });
  const [first, initialize] = (await readFile(seen, "utf8")).split("\n");
  const { flags, args, preview } = JSON.parse(first ?? "") as { flags: string[]; args: string[]; preview: string };
  expect({ flags, preview }).toEqual({ flags: ["--no-warnings"], preview: "html" });
  expect(args).toEqual(
    expect.arrayContaining([
      "--permission-prompts=none",
      `--project-config-root=${join(folder, "main")}`,
      "--managed-settings",
      JSON.stringify({ cleanupPeriodDays: 9 }),
    ]),
  );
  expect(args.join(" ")).not.toContain(join(folder, "plugin"));
  expect(JSON.parse(initialize ?? "")).toMatchObject({
    request: {
      subtype: "initialize",
      systemPrompt: ["You are a duck.", "You swim."],
      planModeInstructions: "Draw a map of the ducks.",
      promptSuggestions: true,
      agentProgressSummaries: true,
      supportedDialogKinds: ["refusal_fallback_prompt"],
      perTaskStopAffordance: true,
      plugins: [{ type: "local", path: join(folder, "plugin") }],
    },
  });
  expect(JSON.stringify(agent.requests[0])).toContain("Draw a map of the ducks.");
});

test("an alias runs the tool that it stands for, under its rules, and with nobody to ask the rest is denied", async () => {
  await using agent = await startOfflineAgent(scenario, {
    toolAliases: { Shell: "Bash" },
    allowedTools: ["Bash(touch:*)"],
    permissionMode: "default",
    permissionPrompts: "none",
  });
  const result = await agent.engine.execute("Make");
  expect(await readFile(join(agent.cwd, "made"), "utf8")).toBe("");
  expect(result).toMatchObject({ text: "Done.", permissionDenials: [{ tool: "Bash" }] });
});
