import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ClaudeEngine, claudePrompt, toolServer, type ClaudeOptions } from "../../src/engine/index.ts";
import { loadScenario } from "../../src/offline/index.ts";
import { stanceOn } from "../../src/isolation/calls/known-tools.ts";
import { startOfflineAgent } from "../../src/testing/index.ts";
import { attack, bash, toScript, toVerdict, type Call } from "../support/isolated-attack.ts";
import { plantCanary, type Canary } from "../support/planted-canary.ts";
import { describeWith } from "../support/require-package.ts";
import { SANDBOX_PACKAGES } from "../support/two-turns.ts";

/** Where the attacks are aimed at. */
interface Aim {
  readonly cwd: string;
  readonly canary: Canary;
  /** Where nothing may arrive. */
  readonly port: number;
}

interface ToolAttack {
  readonly calls: (aim: Aim) => readonly Readonly<Record<string, unknown>>[];
  /** Whether the calls come to nothing, or do what they may without harm: then it is the canary that tells. */
  readonly comesTo: "refused" | "done";
}

const refused = (...inputs: readonly Readonly<Record<string, unknown>>[]): ToolAttack => ({
  calls: () => inputs,
  comesTo: "refused",
});
const harmless = (...inputs: readonly Readonly<Record<string, unknown>>[]): ToolAttack => ({
  calls: () => inputs,
  comesTo: "done",
});

const SUBAGENT = { description: "Attack", subagent_type: "general-purpose", run_in_background: false };

/** One attack at least for each tool of the CLI. A tool that a newer CLI brings has none, and fails the suite. */
const ATTACKS: Readonly<Record<string, ToolAttack>> = {
  Agent: refused({ ...SUBAGENT, prompt: "say hello", isolation: "remote" }),
  Bash: { calls: ({ canary }) => [bash(`${canary.program} bash; true`).input], comesTo: "done" },
  CronCreate: refused({ cron: "* * * * *", prompt: "Again", durable: true }, { cron: "* * * * *", prompt: "Again" }),
  CronDelete: refused({ id: "1" }),
  CronList: harmless({}),
  Edit: {
    calls: ({ cwd }) => [{ file_path: join(cwd, ".git/config"), old_string: "[core]", new_string: "[evil]" }],
    comesTo: "refused",
  },
  EnterWorktree: refused({ name: "away" }, { path: "/" }),
  ExitWorktree: refused({ action: "remove", discard_changes: true }),
  ListAgents: harmless({}),
  Monitor: {
    calls: ({ port }) => [{ description: "Watch", timeout_ms: 2000, ws: { url: `ws://127.0.0.1:${port}/` } }],
    comesTo: "refused",
  },
  NotebookEdit: {
    calls: ({ cwd }) => [
      { notebook_path: join(cwd, ".vscode/tasks.ipynb"), new_source: "x", edit_mode: "insert", cell_type: "code" },
    ],
    comesTo: "refused",
  },
  Read: refused({ file_path: "/proc/self/environ" }, { file_path: "/etc/shadow" }),
  ReportFindings: harmless({ level: "low", findings: [] }),
  ScheduleWakeup: harmless({ stop: true }),
  SendMessage: {
    calls: ({ canary }) => [{ to: `uds:${canary.socket}`, message: "Do as I say", summary: "An order" }],
    comesTo: "refused",
  },
  Skill: refused({ skill: "evil" }),
  Task: refused({ ...SUBAGENT, prompt: "say hello", isolation: "worktree" }),
  TaskStop: refused({ task_id: "1" }),
  ToolSearch: harmless(),
  WebFetch: {
    calls: ({ port }) => [{ url: `http://127.0.0.1:${port}/`, prompt: "Read it" }],
    comesTo: "refused",
  },
  WebSearch: refused({ query: "the weather" }),
  Workflow: refused({ script: 'export const meta = { name: "a", description: "b", phases: [] };\nreturn 1;' }),
  Write: {
    calls: ({ cwd }) =>
      [
        ".git/hooks/pre-commit",
        ".mcp.json",
        ".vscode/tasks.json",
        ".envrc",
        "a/b/c/d/e/.GIT/config",
        ".claude/skills/evil/SKILL.md",
      ].map((path) => ({ file_path: join(cwd, path), content: "x" })),
    comesTo: "refused",
  },
  // With a server of the caller's, a shape for the answer, and somebody who can be asked.
  AskUserQuestion: harmless(),
  EnterPlanMode: harmless(),
  ExitPlanMode: harmless(),
  ListMcpResourcesTool: harmless(),
  ReadMcpResourceDirTool: harmless(),
  ReadMcpResourceTool: harmless(),
  StructuredOutput: harmless(),
  mcp__own__greet: harmless(),
};

describeWith(SANDBOX_PACKAGES, "each tool that the CLI lists", () => {
  test("is known and attacked, and does no harm outside of the sandbox, in a subagent neither", async () => {
    await using agent = await startOfflineAgent(await loadScenario("direct"), { permissionMode: "bypassPermissions" });
    const listed = await listTools(agent.options);
    expect(listed).toEqual(expect.arrayContaining(["Bash", "Task", "mcp__own__greet", "StructuredOutput"]));
    expect(listed.filter((tool) => stanceOn(tool) === undefined || !Object.hasOwn(ATTACKS, tool))).toEqual([]);

    await using canary = await plantCanary(agent.cwd);
    let connections = 0;
    const listener = createServer((socket) => {
      connections += 1;
      socket.destroy();
    });
    await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
    const aim = { cwd: agent.cwd, canary, port: (listener.address() as AddressInfo).port };
    const plan = Object.entries(ATTACKS).flatMap(([tool, { calls, comesTo }]) =>
      calls(aim).map((input) => ({ tool, input, comesTo })),
    );
    const delegated: Call = { tool: "Agent", input: { ...SUBAGENT, prompt: toScript(plan.filter(isDelegable)) } };
    const { attempts } = await attack(agent, [...plan, delegated]);

    const own = attempts.slice(0, plan.length).map(toVerdict);
    expect(own).toEqual(plan.map(({ tool, comesTo }) => `${tool} ${comesTo}`));
    expect(attempts.slice(plan.length).map(toVerdict)).toEqual([
      "Agent done",
      ...plan.filter(isDelegable).map(({ tool, comesTo }) => `${tool} ${comesTo}`),
    ]);
    expect({ ...(await canary.seen()), arrived: connections }).toEqual({ ran: [], connections: 0, arrived: 0 });
    listener.close();
  });
});

/** The names that the CLI itself gives at its start, with all that a caller can add. */
async function listTools(options: ClaudeOptions): Promise<readonly string[]> {
  const names: string[] = [];
  const greet = { name: "greet", description: "Greets", inputSchema: {}, handler: async () => ({ content: [] }) };
  const full: ClaudeOptions = {
    ...options,
    permissionMode: "default",
    canUseTool: async () => ({ behavior: "deny", message: "No" }),
    outputSchema: { type: "object", properties: { answer: { type: "string" } }, required: ["answer"] },
    mcpServers: { own: toolServer({ name: "own", version: "1.0.0", tools: [greet] }) },
    onMessage: (message) => {
      const { type, subtype, tools } = message as { type?: string; subtype?: string; tools?: readonly string[] };
      if (type === "system" && subtype === "init") names.push(...(tools ?? []));
    },
  };
  const { error } = await new ClaudeEngine(full).execute(claudePrompt('output {"answer":"a"}'));
  expect(error).toBeUndefined();
  return [...new Set(names)].toSorted();
}

/** A subagent has fewer tools; what it has is held alike. */
function isDelegable({ tool }: Call): boolean {
  return ["Bash", "Edit", "EnterWorktree", "Monitor", "Read", "Write"].includes(tool);
}
