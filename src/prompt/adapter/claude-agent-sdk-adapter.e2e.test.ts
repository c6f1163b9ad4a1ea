import { mkdtemp, readdir, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, expectTypeOf, it, vi } from "vitest";
import { z } from "zod";
import { samplePrompt, startPromptBench } from "../../../test/support/prompt-bench.ts";
import type { Transition } from "../../trace/index.ts";
import { Workspace } from "../../workspace/index.ts";
import { PromptSession, eventLog } from "../session/prompt-session.ts";
import { MarkdownSection } from "../template/markdown-section.ts";
import { PromptTemplate } from "../template/prompt-template.ts";
import { Prompt } from "../template/prompt.ts";
import { ToolResult } from "../tools/tool-result.ts";
import { tool } from "../tools/tool.ts";
import { ClaudeAgentSDKAdapter } from "./claude-agent-sdk-adapter.ts";
import type { PromptResponse } from "./prompt-response.ts";

const search = tool({
  name: "search",
  description: "Search the internal index",
  params: z.object({ query: z.string() }),
  handler: ({ query }) => ToolResult.ok({ matches: 3, render: () => `Found 3 for ${query}` }),
});

const Hello = z.object({ message: z.string() });

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

describe("the type checker", () => {
  it("knows what an evaluation gives, and refuses a prompt that lacks its params", () => {
    const task = new MarkdownSection({ title: "Task", key: "task", template: "Greet ${name}." });
    const prompt = new Prompt(new PromptTemplate({ ns: "test", key: "typed", output: Hello, sections: [task] }));
    const adapter = new ClaudeAgentSDKAdapter();
    const session = new PromptSession();
    const evaluate = async () => await adapter.evaluate(prompt.bind({ name: "Ada" }), { session });
    expectTypeOf(evaluate).returns.resolves.toEqualTypeOf<PromptResponse<{ message: string }>>();
    type Finished = Exclude<Awaited<ReturnType<typeof evaluate>>, { stopped: object }>;
    expectTypeOf<Finished["output"]>().toEqualTypeOf<{ message: string }>();
    expectTypeOf<Finished["transition"]>().toEqualTypeOf<Transition>();
    // @ts-expect-error the name is not bound
    const unbound = async () => await adapter.evaluate(prompt, { session });
    // @ts-expect-error there is no session
    const alone = async () => await adapter.evaluate(prompt.bind({ name: "Ada" }), {});
    expect([unbound, alone]).toHaveLength(2);
  });
});

describe("an evaluation", () => {
  it("answers with text, calls a tool of the prompt, and tells of all of it", async () => {
    await using bench = await startPromptBench([
      { call: { tool: "mcp__skein__search", input: { query: "skein" } } },
      { say: "It says: {{result}}" },
    ]);
    const response = await bench.adapter().evaluate(samplePrompt({ tools: [search] }), { session: bench.session });
    expect(response).toMatchObject({
      promptName: "test/sample",
      text: "It says: Found 3 for skein",
      output: undefined,
    });
    expect(response.transition?.execution).toMatchObject({ outcome: "completed", costUsd: response.costUsd });
    const { id, after } = response.transition ?? {};
    expect(bench.events).toMatchObject([
      { type: "prompt-rendered", tools: ["search"], text: "## 1. Task\n\nDo it." },
      {
        type: "tool-invoked",
        name: "search",
        isBridged: true,
        input: { query: "skein" },
        success: true,
        output: "Found 3 for skein",
        value: { matches: 3 },
      },
      { type: "prompt-executed", usage: response.usage, transitionId: id, stateId: after?.stateId },
    ]);
    expect(bench.session.slice(eventLog).all).toHaveLength(3);
    expect(await leftovers()).toEqual([]);
  });

  it("gives the answer in the prompt's shape, and ends with it", async () => {
    await using bench = await startPromptBench([{ output: { message: "hello" } }, { say: "Never said." }]);
    const response = await bench.adapter().evaluate(samplePrompt({ output: Hello }), { session: bench.session });
    expect(response.output).toEqual({ message: "hello" });
    expect(response.transition?.execution).toMatchObject({ terminalReason: "hook_stopped", isError: false });
    expect(bench.agent.requests).toHaveLength(1);
  });

  it("leaves the end to the CLI where it is told to", async () => {
    await using bench = await startPromptBench([{ output: { message: "hello" } }, { say: "Never said." }]);
    const adapter = bench.adapter({ stopOnStructuredOutput: false });
    const response = await adapter.evaluate(samplePrompt({ output: Hello }), { session: bench.session });
    expect(response.output).toEqual({ message: "hello" });
    expect(response.transition?.execution.terminalReason).toBe("completed");
  });

  it("wraps lists for the CLI, and takes them out again", async () => {
    await using bench = await startPromptBench([{ output: { value: [{ message: "a" }, { message: "b" }] } }]);
    const response = await bench
      .adapter()
      .evaluate(samplePrompt({ output: z.array(Hello) }), { session: bench.session });
    expect(response.output).toEqual([{ message: "a" }, { message: "b" }]);
  });

  it("sends an answer back that only the whole schema refuses, until it fits", async () => {
    const Even = z.object({ number: z.number().refine((number) => number % 2 === 0, "not even") });
    await using bench = await startPromptBench([{ output: { number: 1 } }, { output: { number: 2 } }]);
    const response = await bench.adapter().evaluate(samplePrompt({ output: Even }), { session: bench.session });
    expect(response.output).toEqual({ number: 2 });
    expect(JSON.stringify(bench.agent.requests.at(-1)?.messages)).toContain("number: not even");
  });

  it("fails with the text and the issues where no answer fits", async () => {
    const Even = z.object({ number: z.number().refine((number) => number % 2 === 0, "not even") });
    await using bench = await startPromptBench([{ output: { number: 1 } }, { say: "I give up." }]);
    const adapter = bench.adapter({ maxRounds: 1 });
    const failed = adapter.evaluate(samplePrompt({ output: Even }), { session: bench.session });
    await expect(failed).rejects.toMatchObject({
      name: "OutputError",
      kind: "parse",
      issues: [{ message: "not even", path: ["number"] }],
      given: { number: 1 },
    });
    expect(bench.events.at(-1)).toMatchObject({ type: "prompt-executed", stopped: { name: "OutputError" } });
  });

  it("fails where the agent never gives an answer in the shape", async () => {
    await using bench = await startPromptBench([{ output: { wrong: 1 } }, { say: "Done." }]);
    const failed = bench
      .adapter({ maxResponses: 8 })
      .evaluate(samplePrompt({ output: Hello }), { session: bench.session });
    await expect(failed).rejects.toMatchObject({ name: "OutputError", kind: "parse" });
  });

  it("is a turn of a conversation, which another evaluation can go on with", async () => {
    await using bench = await startPromptBench({
      rules: [
        { when: { prompt: "second" }, steps: [{ say: "Second." }] },
        {
          steps: [{ call: { tool: "Write", input: { file_path: "{{cwd}}/a.txt", content: "a" } } }, { say: "First." }],
        },
      ],
    });
    await using workspace = await Workspace.open(bench.agent.cwd, { home: bench.agent.home });
    const adapter = bench.adapter({ workspace });
    const first = await adapter.evaluate(samplePrompt(), { session: bench.session });
    expect(await first.transition?.filesChanged()).toMatchObject([{ type: "created", path: "a.txt" }]);
    const from = first.transition?.conversationId ?? "";
    const second = await adapter.evaluate(samplePrompt({ text: "second" }), { session: bench.session, from });
    expect(second).toMatchObject({ text: "Second.", transition: { turn: 2, conversationId: from } });
    expect(JSON.stringify(bench.agent.requests.at(-1)?.messages)).toContain("First.");
  });

  it("goes on in another turn with the sections that the model opens", async () => {
    const hidden = tool({ name: "hidden", description: "A hidden tool", handler: () => ToolResult.ok("found") });
    const details = new MarkdownSection({
      title: "Details",
      key: "details",
      template: "All the details.",
      summary: "There are details.",
      visibility: "summary",
      tools: [hidden],
    });
    const task = new MarkdownSection({ title: "Task", key: "task", template: "Do it." });
    const prompt = new Prompt(new PromptTemplate({ ns: "test", key: "open", sections: [task, details] }));
    await using bench = await startPromptBench({
      rules: [
        {
          when: { prompt: "All the details" },
          steps: [{ call: { tool: "mcp__skein__hidden", input: {} } }, { say: "{{result}}" }],
        },
        {
          steps: [
            { call: { tool: "mcp__skein__open_sections", input: { section_keys: ["details"], reason: "to know" } } },
            { say: "Never said." },
          ],
        },
      ],
    });
    const response = await bench.adapter().evaluate(prompt, { session: bench.session });
    expect(response.text).toBe("found");
    expect(bench.calls()).toEqual(["open_sections ok", "hidden ok"]);
    expect(bench.events.map(({ type }) => type)).toEqual([
      "prompt-rendered",
      "tool-invoked",
      "prompt-rendered",
      "tool-invoked",
      "prompt-executed",
    ]);
    expect(response.transition?.turn).toBe(2);
  });

  it("sends the prompt as it is written: a value in it makes the CLI read no file and run no command", async () => {
    await using bench = await startPromptBench([{ say: "Done." }]);
    await writeFile(join(bench.agent.cwd, "secret.txt"), "the secret itself");
    const adapter = bench.adapter({ cwd: bench.agent.cwd, record: bench.agent.home });
    await adapter.evaluate(samplePrompt({ text: "Tell of @secret.txt" }), { session: bench.session });
    const sent = JSON.stringify(bench.agent.requests);
    expect(sent).toContain("Tell of @secret.txt");
    expect(sent).not.toContain("the secret itself");
  });

  it("fails loudly where a tool of the prompt is not there", async () => {
    await using bench = await startPromptBench([{ say: "I could not search." }]);
    const adapter = bench.adapter({ options: { disallowedTools: ["mcp__skein__search"] } });
    const failed = adapter.evaluate(samplePrompt({ tools: [search] }), { session: bench.session });
    await expect(failed).rejects.toMatchObject({ kind: "mcp", target: "search" });
  });

  it("fails with the turn's own error, and the turn is recorded", async () => {
    await using bench = await startPromptBench([{ fail: { type: "http", status: 400 } }]);
    const failed = bench.adapter().evaluate(samplePrompt(), { session: bench.session });
    await expect(failed).rejects.toMatchObject({ name: "EvaluationError", transitionId: expect.any(String) });
    expect(bench.events.at(-1)).toMatchObject({ type: "prompt-executed", transitionId: expect.any(String) });
  });

  it("streams the events of the turn, and the response at its end", async () => {
    await using bench = await startPromptBench([{ say: "Hello." }]);
    const stream = bench.adapter().stream(samplePrompt(), { session: bench.session });
    const types: string[] = [];
    let next = await stream.next();
    for (; !next.done; next = await stream.next()) types.push(next.value.type);
    expect(types.at(0)).toBe("turn-start");
    expect(types.slice(-2)).toEqual(["turn-end", "state-recorded"]);
    expect(next.value).toMatchObject({ text: "Hello." });
  });

  it.each(["turn-start", "tool-start", "turn-end"])(
    "leaves nothing behind when its reader leaves at %s",
    async (type) => {
      await using bench = await startPromptBench(
        [{ call: { tool: "Bash", input: { command: "echo a" } } }, { say: "Done." }],
        {
          allowedTools: ["Bash"],
        },
      );
      for await (const event of bench.adapter().stream(samplePrompt(), { session: bench.session })) {
        if (event.type === type) break;
      }
      expect(await leftovers()).toEqual([]);
    },
  );

  it("refuses what cannot work before it starts anything", async () => {
    await using bench = await startPromptBench([{ say: "Never." }]);
    const { session } = bench;
    const adapter = bench.adapter();
    await expect(adapter.evaluate(samplePrompt(), {} as never)).rejects.toMatchObject({
      kind: "usage",
      target: "session",
    });
    const evaluate = async (options: object): Promise<unknown> =>
      await adapter.evaluate(samplePrompt(), { session, ...options });
    await expect(evaluate({ budget: {} })).rejects.toMatchObject({ kind: "usage", target: "budget" });
    await expect(evaluate({ deadline: NaN })).rejects.toMatchObject({ kind: "usage", target: "deadline" });
    await expect(evaluate({ from: "x" })).rejects.toMatchObject({ kind: "usage", target: "from" });
    await expect(evaluate({ signal: AbortSignal.abort() })).rejects.toMatchObject({ kind: "cancelled" });
    const dated = samplePrompt({ output: z.object({ at: z.date() }) });
    await expect(adapter.evaluate(dated, { session })).rejects.toMatchObject({ kind: "usage", target: "test/sample" });
    expect(() => bench.adapter({ maxRounds: -1 })).toThrow(expect.objectContaining({ kind: "usage" }));
    expect(() => bench.adapter({ toolIdleTimeoutMs: 0 })).toThrow(expect.objectContaining({ kind: "usage" }));
    expect(bench.agent.requests).toEqual([]);
    expect(bench.events).toEqual([]);
  });
});
