import { existsSync } from "node:fs";
import { mkdtemp, readdir, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { samplePrompt, startPromptBench } from "../../../test/support/prompt-bench.ts";
import { BudgetTracker, type SkeinEvent } from "../../core/index.ts";
import { addUsage, NO_USAGE } from "../../core/internal.ts";
import { ClaudeEngine } from "../../engine/index.ts";
import { ProcessManager } from "../../engine/internal.ts";
import { IsolationConfig, NetworkPolicy } from "../../isolation/index.ts";
import type { ToolInvoked } from "../session/prompt-events.ts";
import { MarkdownSection } from "../template/markdown-section.ts";
import { PromptTemplate } from "../template/prompt-template.ts";
import { Prompt } from "../template/prompt.ts";
import { WorkspaceSection } from "../template/workspace-section.ts";
import { ToolResult } from "../tools/tool-result.ts";
import { tool } from "../tools/tool.ts";

const look = tool({ name: "look", description: "Look", handler: () => ToolResult.ok("seen") });
const script = [
  { say: "I look." },
  { call: { tool: "mcp__skein__look", input: {} } },
  { call: { tool: "Bash", input: { command: "echo begun; sleep 0.1" } } },
  { say: "Done." },
];

// A folder for temporary files of this test's own, so that what is left in it is known.
const temporary = await realpath(await mkdtemp(join(tmpdir(), "skein-test-")));
vi.stubEnv("TMPDIR", temporary);
afterAll(async () => {
  vi.unstubAllEnvs();
  await rm(temporary, { recursive: true });
});

/** What evaluations leave in the folder for temporary files. */
async function leftovers(): Promise<readonly string[]> {
  return (await readdir(temporary)).filter((name) => name.startsWith("skein-") && !name.startsWith("skein-agent-"));
}

describe("an evaluation", () => {
  it.each<[string, (event: SkeinEvent) => boolean]>([
    ["before the first event", () => true],
    ["when it starts", ({ type }) => type === "turn-start"],
    ["when text comes", ({ type }) => type === "text-delta"],
    ["when a tool is called", ({ type }) => type === "tool-start"],
    ["when a bridged tool has answered", ({ type }) => type === "tool-end"],
    ["when a command runs", (event) => event.type === "tool-start" && event.tool === "Bash"],
    ["at its end", ({ type }) => type === "turn-end"],
  ])("can be aborted %s, and leaves nothing behind", async (_, isMoment) => {
    await using bench = await startPromptBench(script, { allowedTools: ["Bash"] });
    await using processes = new ProcessManager(join(bench.agent.home, "processes"));
    const engine = new ClaudeEngine(bench.agent.options, { processes });
    const stop = new AbortController();
    const adapter = bench.adapter({ engine, transactions: true });
    const stream = adapter.stream(samplePrompt({ tools: [look] }), { session: bench.session, signal: stop.signal });
    const read = async (): Promise<string> => {
      for await (const event of stream) if (isMoment(event)) stop.abort();
      return "finished";
    };
    const end = await read().catch((error: { kind: string }) => error.kind);
    expect(["cancelled", "finished"]).toContain(end);
    expect(processes.processes()).toEqual([]);
    expect(await leftovers()).toEqual([]);
    const ids = bench.events.flatMap((event) => (event.type === "tool-invoked" ? [event.callId] : []));
    expect(ids).toEqual([...new Set(ids)]);
    expect(bench.events.at(-1)?.type).toBe("prompt-executed");
  });

  it("can be one of several at once, which share tools, a session and a tracker", async () => {
    await using bench = await startPromptBench([
      {
        call: [
          { tool: "mcp__skein__look", input: {} },
          { tool: "mcp__skein__look", input: {} },
        ],
      },
      { output: { seen: true } },
    ]);
    const budgetTracker = new BudgetTracker({ maxTokens: 100_000_000 });
    const prompt = samplePrompt({ tools: [look], output: z.object({ seen: z.boolean() }) });
    const adapter = bench.adapter();
    const { session } = bench;
    const running = [1, 2, 3].map(async () => await adapter.evaluate(prompt, { session, budgetTracker }));
    const responses = await Promise.all(running);
    expect(responses.map(({ output }) => output)).toEqual([{ seen: true }, { seen: true }, { seen: true }]);
    const { tokens: _, costUsd: __, turns: ___, responses: ____, ...usage } = budgetTracker.consumed;
    expect(usage).toEqual(responses.map((response) => response.usage).reduce(addUsage, NO_USAGE));
    const calls = bench.events.filter((event): event is ToolInvoked => event.type === "tool-invoked");
    expect(new Set(calls.map(({ evaluationId, callId }) => `${evaluationId} ${callId}`)).size).toBe(9);
    expect(calls).toHaveLength(9);
  });

  it("tells of a call that a rule of the CLI forbids", async () => {
    await using bench = await startPromptBench([
      { call: { tool: "Bash", input: { command: "rm -rf x" } } },
      { say: "Done." },
    ]);
    const adapter = bench.adapter({ options: { disallowedTools: ["Bash(rm:*)"] } });
    await adapter.evaluate(samplePrompt(), { session: bench.session });
    expect(bench.calls()).toEqual(["Bash denied"]);
  });

  it("works in the directory of its workspace section, and removes what it opened", async () => {
    await using bench = await startPromptBench([
      { call: { tool: "Read", input: { file_path: "{{cwd}}/notes/a.txt" } } },
      { say: "{{result}}" },
    ]);
    const host = await mkdtemp(join(bench.agent.cwd, "host-"));
    await writeFile(join(host, "a.txt"), "from the host");
    const section = new WorkspaceSection({ mounts: [{ hostPath: host, mountPath: "notes" }] });
    const task = new MarkdownSection({ title: "Task", key: "task", template: "Read." });
    const prompt = new Prompt(new PromptTemplate({ ns: "test", key: "mounted", sections: [task, section] }));
    const response = await bench.adapter().evaluate(prompt, { session: bench.session });
    expect(response.text).toContain("from the host");
    expect(() => section.path).toThrow("not open");
    await section.open();
    const { path } = section;
    await bench.adapter().evaluate(prompt, { session: bench.session });
    expect(existsSync(path)).toBe(true);
    await section.cleanup();
    expect(await leftovers()).toEqual([]);
  });

  it.each([
    ["by a plugin", undefined],
    [
      "in a home of its own",
      IsolationConfig({ sandbox: { enabled: false }, networkPolicy: NetworkPolicy.withDomains("*") }),
    ],
  ])("gives the agent the skills of the prompt, %s", async (_, isolation) => {
    await using bench = await startPromptBench(
      [{ call: { tool: "Bash", input: { command: "echo home: $HOME" } } }, { say: "{{result}}" }],
      { allowedTools: ["Bash"] },
    );
    const skill = { name: "weaving", description: "How to weave a basket", content: "Over, under." };
    const task = new MarkdownSection({ title: "Task", key: "task", template: "Weave.", skills: [skill] });
    const prompt = new Prompt(new PromptTemplate({ ns: "test", key: "skilled", sections: [task] }));
    const adapter = bench.adapter(isolation ? { isolation } : {});
    const response = await adapter.evaluate(prompt, { session: bench.session });
    expect(JSON.stringify(bench.agent.requests[0])).toContain("How to weave a basket");
    expect(response.text === `home: ${bench.agent.home}`).toBe(isolation === undefined);
    expect(await leftovers()).toEqual([]);
  });
});
