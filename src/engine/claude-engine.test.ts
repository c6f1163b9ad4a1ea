import { chmod, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import type { SkeinEvent } from "../core/index.ts";
import { defineScenario } from "../offline/index.ts";
import { WRITE_AND_LOOK } from "../../test/support/write-and-look.ts";
import { ENGINE_CONTRACT, startOfflineAgent } from "../testing/index.ts";
import { collect } from "../testing/internal.ts";
import { readAttachment } from "./prompts/attachment.ts";
import { ClaudeEngine } from "./claude-engine.ts";
import { claudePrompt } from "./prompts/claude-prompt.ts";

const scenario = defineScenario({
  name: "engine tests",
  rules: [
    { when: { prompt: "^Say hello" }, steps: [{ say: "hello" }] },
    WRITE_AND_LOOK,
    { when: { prompt: "^What was asked" }, steps: [{ say: "before: {{prompt}}" }] },
    { when: { prompt: "^Shape" }, steps: [{ output: { city: "Bern", inhabitants: 134_000 } }] },
    {
      when: { prompt: "^Delegate in the (background|foreground)" },
      steps: ({ captures }) => [
        {
          call: {
            tool: "Agent",
            input: {
              description: "Look around",
              prompt: "Look around and report",
              subagent_type: "general-purpose",
              run_in_background: captures["1"] === "background",
            },
          },
        },
        { say: "Delegated." },
      ],
    },
    { when: { prompt: "^Look around", subagent: true }, steps: [{ say: "Nothing to see." }] },
    {
      when: { prompt: "^Leave the directory" },
      steps: [
        { call: { tool: "Write", input: { file_path: "/skein-outside.txt", content: "no" } } },
        { say: "Tried." },
      ],
    },
    {
      when: { prompt: "^Complain" },
      steps: [
        { call: { tool: "Bash", input: { command: "echo 'Error: fatal, author unknown'", description: "Complain" } } },
        { say: "It said: {{result}}" },
      ],
    },
    { when: { prompt: "^Wait for ever" }, steps: [{ fail: { type: "stall" } }, { say: "never" }] },
    {
      when: { prompt: "^Hang" },
      steps: [
        { call: { tool: "Bash", input: { command: "echo $$ > pid; tail -f /dev/null", description: "Hang" } } },
        { say: "unreachable" },
      ],
    },
  ],
});

describe("the contract", () => {
  for (const { name, check } of ENGINE_CONTRACT) {
    test(name, async () => {
      await using agent = await startOfflineAgent(scenario);
      await check(agent.engine);
    });
  }
});

describe("a turn of the real CLI", () => {
  test("writes files and runs Bash, and tells of it in events", async () => {
    await using agent = await startOfflineAgent(scenario, { allowedTools: ["Bash"] });
    const { events, result } = await collect(agent.engine, claudePrompt({ text: "Write poem" }));
    expect(await readFile(join(agent.cwd, "poem.txt"), "utf8")).toBe("by poem\n");
    expect(await readFile(join(agent.cwd, "poem.bash"), "utf8")).toBe("made-by-bash");
    expect(result.text).toBe("They hold: by poem\nmade-by-bash");
    expect(briefly(events)).toEqual([
      "turn-start claude-sonnet-5-5",
      "thinking One file, then a look at it.",
      "text Writing poem.",
      "tool-start Write",
      "tool-start Bash",
      "tool-end Write ok",
      "tool-end Bash ok",
      "tool-start Bash",
      "tool-end Bash ok",
      "text They hold: by poem\nmade-by-bash",
      "turn-end",
    ]);
    expect(events.every(({ raw }) => raw !== undefined)).toBe(true);
    const streamed = events.flatMap((event) => (event.type === "text-delta" ? [event.text] : []));
    expect(streamed.join("")).toBe("Writing poem.They hold: by poem\nmade-by-bash");
  });

  test("counts tokens and money of this turn alone when a session goes on", async () => {
    await using agent = await startOfflineAgent(scenario);
    const first = await agent.engine.execute(claudePrompt({ text: "Say hello" }));
    const second = await agent.engine.execute(claudePrompt({ text: "Say hello" }), { resume: first.sessionId });
    expect(first.usage).toMatchObject({ outputTokens: 8, cacheReadTokens: 0 });
    expect(second.usage.outputTokens).toBe(8);
    expect(second.usage.cacheReadTokens).toBeGreaterThan(1000);
    expect(second.costUsd).toBeLessThan(first.costUsd);
    expect(Object.keys(second.usageByModel)).toEqual(["claude-sonnet-5-5"]);
  });

  test("remembers the conversation on resume, and leaves it alone on fork", async () => {
    await using agent = await startOfflineAgent(scenario);
    const { sessionId } = await agent.engine.execute(claudePrompt({ text: "Say hello" }));
    await agent.engine.execute(claudePrompt({ text: "What was asked 1" }), { resume: sessionId, forkSession: true });
    await agent.engine.execute(claudePrompt({ text: "What was asked 2" }), { resume: sessionId });
    const answers = agent.requests.map(({ messages }) => messages.filter(({ role }) => role === "assistant").length);
    expect(answers).toEqual([0, 1, 1]);
    expect(JSON.stringify(agent.requests[2])).not.toContain("What was asked 1");
  });

  test("gives structured output in the asked shape", async () => {
    await using agent = await startOfflineAgent(scenario);
    const outputSchema = {
      type: "object",
      properties: { city: { type: "string" }, inhabitants: { type: "number" } },
      required: ["city", "inhabitants"],
    };
    const result = await agent.engine.execute(claudePrompt({ text: "Shape" }), { outputSchema });
    expect(result.structuredOutput).toEqual({ city: "Bern", inhabitants: 134_000 });
  });

  test("calls it an error where the model answers in plain words instead", async () => {
    await using agent = await startOfflineAgent(scenario);
    const result = await agent.engine.execute(claudePrompt({ text: "Say hello" }), {
      outputSchema: { type: "object" },
    });
    expect(result).toMatchObject({
      subtype: "success",
      isError: true,
      error: { kind: "parse", message: "The model gave no answer in the requested shape", retryable: false },
    });
  });

  test.each(["foreground", "background"])("runs a sub-agent in the %s", async (where) => {
    await using agent = await startOfflineAgent(scenario);
    const { events, result } = await collect(agent.engine, claudePrompt({ text: `Delegate in the ${where}` }));
    const start = events.find((event) => event.type === "tool-start");
    const reports = events.flatMap((event) => (event.type === "status" ? [event.detail] : []));
    expect(start).toMatchObject({ tool: "Agent" });
    expect(reports).toContain("Nothing to see.");
    expect(result).toMatchObject({ text: "Delegated.", isError: false });
    expect(events.filter(({ type }) => type === "turn-end")).toHaveLength(1);
  });

  test("lists a call that nobody allowed", async () => {
    await using agent = await startOfflineAgent(scenario);
    const { events, result } = await collect(agent.engine, claudePrompt({ text: "Leave the directory" }));
    expect(result.permissionDenials).toMatchObject([{ tool: "Write", input: { file_path: "/skein-outside.txt" } }]);
    expect(events.find(({ type }) => type === "tool-end")).toMatchObject({ isError: true, isDenied: true });
  });

  test("sends attachments before the text", async () => {
    await using agent = await startOfflineAgent(scenario);
    const path = join(agent.cwd, "note.md");
    await writeFile(path, "# A note\n");
    const attachments = [await readAttachment(path)];
    await agent.engine.execute(claudePrompt({ text: "Say hello", attachments }));
    const blocks = agent.requests[0]?.messages[0]?.content as readonly { type: string; title?: string }[];
    expect(blocks.filter(({ type }) => type === "document")).toMatchObject([{ title: "note.md" }]);
  });
});

describe("the end of a turn", () => {
  test("is good where a tool prints an error and ends well", async () => {
    await using agent = await startOfflineAgent(scenario, { allowedTools: ["Bash"] });
    const result = await agent.engine.execute(claudePrompt("Complain"));
    expect(result).toMatchObject({ text: "It said: Error: fatal, author unknown", isError: false });
  });

  test("is a process error with what the CLI said last, where the CLI fails", async () => {
    await using agent = await startOfflineAgent(scenario);
    const cliPath = join(agent.cwd, "claude");
    await writeFile(
      cliPath,
      "#!/bin/sh\n[ $1 = --version ] && echo '2.1.0 (Claude Code)' && exit\necho out of luck >&2\nexit 3\n",
    );
    await chmod(cliPath, 0o755);
    const { error } = await agent.engine.execute(claudePrompt("Say hello"), { cliPath });
    expect(error).toMatchObject({ name: "ProcessError", kind: "process", exitCode: 3, stderrTail: "out of luck" });
  });

  test("is an error that names it where the model is unknown", async () => {
    await using agent = await startOfflineAgent(scenario);
    const { error } = await agent.engine.execute(claudePrompt("Say hello"), { model: "gpt-9" });
    expect(error).toMatchObject({ name: "InvalidModelError", message: expect.stringContaining("gpt-9") as string });
  });

  test("is an error that names it where the session to resume is not there", async () => {
    await using agent = await startOfflineAgent(scenario);
    const resume = "8f14e45f-ceea-467f-9a3b-000000000000";
    const { error } = await agent.engine.execute(claudePrompt("Say hello"), { resume });
    expect(error).toMatchObject({ name: "SessionCorruptedError", kind: "session_corrupted", sessionId: resume });
  });

  test("is a timeout error when the model is silent", async () => {
    await using agent = await startOfflineAgent(scenario, { timeoutMs: 3000 });
    const result = await agent.engine.execute(claudePrompt({ text: "Wait for ever" }));
    expect(result.error).toMatchObject({ name: "ClaudeTimeoutError", kind: "timeout", timeoutMs: 3000 });
  });

  test("is a cancelled error on abort, and takes the tool's processes with it", async () => {
    await using agent = await startOfflineAgent(scenario, { allowedTools: ["Bash"] });
    const controller = new AbortController();
    const turn = agent.engine.execute(claudePrompt({ text: "Hang" }), { signal: controller.signal });
    const pid = await vi.waitFor(async () => Number(await readFile(join(agent.cwd, "pid"), "utf8")), 20_000);
    controller.abort();
    expect((await turn).error).toMatchObject({ kind: "cancelled", retryable: false });
    // Killed, and gone as soon as the system has waited for it.
    await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow("ESRCH"), 10_000);
  });

  test("ends the process when the reader walks away", async () => {
    await using agent = await startOfflineAgent(scenario);
    for await (const event of agent.engine.stream(claudePrompt({ text: "Wait for ever" }))) {
      if (event.type === "turn-start") break;
    }
  });
});

describe("a turn that cannot be run", () => {
  test("says that there are no credentials, with three ways out", async () => {
    await using agent = await startOfflineAgent(scenario, { env: { ANTHROPIC_API_KEY: undefined } });
    await expect(agent.engine.execute(claudePrompt({ text: "Say hello" }))).rejects.toMatchObject({
      name: "ClaudeAuthError",
      kind: "auth",
      hint: "Set ANTHROPIC_API_KEY, or log in once with the `claude` command, or run with the offline model: `offline`.",
    });
    expect(agent.requests).toEqual([]);
  });

  test.each([
    [{ cwd: "/no/such/folder" }, "filesystem"],
    [{ cwd: "/etc/hostname" }, "filesystem"],
    [{ maxResponses: 0 }, "config"],
    [{ maxCostUsd: Number.NaN }, "config"],
    [{ forkSession: true }, "config"],
    [{ permissionMode: "yolo" as never }, "config"],
  ] as const)("refuses %j before anything is started", async (options, kind) => {
    const engine = new ClaudeEngine();
    await expect(engine.execute(claudePrompt({ text: "Say hello" }), options)).rejects.toMatchObject({ kind });
  });
});

function briefly(events: readonly SkeinEvent[]): readonly string[] {
  return events.flatMap((event) => {
    switch (event.type) {
      case "turn-start":
        return [`turn-start ${event.model}`];
      case "text":
      case "thinking":
        return [`${event.type} ${event.text}`];
      case "tool-start":
        return [`tool-start ${event.tool}`];
      case "tool-end":
        return [`tool-end ${event.tool} ${event.isError ? "failed" : "ok"}`];
      case "turn-end":
      case "error":
      case "state-recorded":
      case "question-asked":
      case "question-answered":
      case "unknown":
      case "custom":
        return [event.type];
      case "status":
      case "text-delta":
      case "thinking-delta":
      case "signature-delta":
      case "usage":
      case "tool-input-delta":
        return [];
    }
  });
}
