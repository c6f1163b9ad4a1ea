import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadScenario } from "../src/offline/index.ts";
import {
  ClaudeAgentSDKAdapter,
  InProcessDispatcher,
  MarkdownSection,
  Prompt,
  PromptTemplate,
  PromptSession,
  type ToolInvoked,
} from "../src/prompt/index.ts";
import { startOfflineAgent } from "../src/testing/index.ts";
import { IsolationConfig } from "../src/isolation/index.ts";
import { Workspace } from "../src/workspace/index.ts";
import { bash, KEY, KEY_PATTERN, probe, type Call } from "./support/isolated-attack.ts";
import { describeWith } from "./support/require-package.ts";

const PACKAGES = [
  { command: "bwrap", package: "bubblewrap" },
  { command: "socat", package: "socat" },
];

const SKILL = { name: "greet", description: "How to greet people", content: "Say hello to everyone." };

describeWith(PACKAGES, "an isolated conversation", () => {
  test("goes on in a home of its own each time, with its skills and in the same bounds", async () => {
    await using agent = await startOfflineAgent(await loadScenario("direct"));
    const home = await mkdtemp(join(tmpdir(), "skein-records-"));
    const workspace = await Workspace.open(agent.cwd, { home });
    const calls: ToolInvoked[] = [];
    const dispatcher = new InProcessDispatcher();
    dispatcher.subscribe("tool-invoked", (event) => void calls.push(event));
    const session = new PromptSession({ dispatcher });
    const isolation = IsolationConfig({ apiKey: KEY });
    const { engine } = agent;
    const adapter = new ClaudeAgentSDKAdapter({ engine, workspace, permissionMode: "bypassPermissions", isolation });

    const attempts = [
      bash("echo more >> made.txt; cat made.txt"),
      probe(`env | grep -q ${KEY_PATTERN}`),
      probe('ls "$CLAUDE_CONFIG_DIR" | grep .'),
      probe(`ls ${home} | grep .`),
      { tool: "Skill", input: { skill: "greet" } },
    ];
    const first = await adapter.evaluate(ask(attempts), { session });
    const from = first.transition?.conversationId ?? "";
    await adapter.evaluate(ask(attempts), { session, from });

    const outputs = calls.map(({ name, success, output }) =>
      name === "Bash" ? stdoutOf(output) : `${name} ${success}`,
    );
    const blocked = Array(3).fill("blocked");
    expect(outputs).toEqual(["more", ...blocked, "Skill true", "more\nmore", ...blocked, "Skill true"]);
    expect(JSON.stringify(agent.requests.at(-1)?.messages)).toContain("more\\nmore");
    await workspace.close();
    await rm(home, { recursive: true, force: true });
  });
});

function ask(calls: readonly Call[]): Prompt {
  const script = calls.map(({ tool, input }) => `${tool} ${JSON.stringify(input)}`).join("\n");
  const section = new MarkdownSection({ title: "Task", key: "task", template: "${script}", skills: [SKILL] });
  return new Prompt(new PromptTemplate({ ns: "test", key: "resume", sections: [section] })).bind({ script });
}

function stdoutOf(output: unknown): string {
  return (output as { readonly stdout: string }).stdout;
}
