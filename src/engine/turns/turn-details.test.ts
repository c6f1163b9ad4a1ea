import { describe, expect, test } from "vitest";
import { filterEvents, isEvent, type SkeinEvent, type TurnResult } from "../../core/index.ts";
import { defineScenario } from "../../offline/index.ts";
import { startOfflineAgent } from "../../testing/index.ts";
import { collect } from "../../testing/internal.ts";
import { claudePrompt } from "../prompts/claude-prompt.ts";
import { ClaudeSDKClient } from "../claude-sdk-client.ts";

const scenario = defineScenario({
  name: "details",
  rules: [
    { when: { model: "opus" }, steps: [{ fail: { type: "http", status: 529 } }] },
    {
      when: { prompt: "^Slowly" },
      steps: [{ fail: { type: "drip", tokensPerSecond: 30 } }, { say: "word ".repeat(20) }],
    },
    {
      when: { prompt: "^Write" },
      steps: [
        { think: "Two files, then a word about them." },
        { say: "Writing." },
        {
          call: ["one", "two"].map((name) => ({
            tool: "Write",
            input: { file_path: `{{cwd}}/${name}.txt`, content: `"${name}"\n\\ and more of it\n` },
          })),
        },
        { say: "Written." },
      ],
    },
    {
      when: { prompt: "^Delegate" },
      steps: [
        {
          call: {
            tool: "Agent",
            input: {
              description: "Look",
              prompt: "Look around",
              subagent_type: "general-purpose",
              model: "haiku",
              run_in_background: false,
            },
          },
        },
        { say: "Delegated." },
      ],
    },
    { when: { subagent: true }, steps: [{ say: "Nothing to see." }] },
    { steps: [{ say: "hello" }] },
  ],
});

describe("the pieces of a response", () => {
  test("are events: of text, of thinking with its signature, and of each call's input", async () => {
    await using agent = await startOfflineAgent(scenario);
    const { events } = await collect(agent.engine, claudePrompt("Write"));
    const [thinking, ...calls] = events.filter((event) => isEvent(event, "thinking", "tool-start"));
    expect(join(events, "thinking-delta", ({ text }) => text)).toBe("Two files, then a word about them.");
    expect(thinking).toMatchObject({ type: "thinking", text: "Two files, then a word about them." });
    const signature = join(events, "signature-delta", (event) => event.signature);
    expect(thinking?.raw).toMatchObject({ message: { content: [{ signature }] } });
    const starts = calls.filter((event) => isEvent(event, "tool-start"));
    expect(starts).toHaveLength(2);
    for (const { toolUseId, tool, input } of starts) {
      const own = (event: { toolUseId: string; tool: string; json: string }): string =>
        event.toolUseId === toolUseId && event.tool === tool ? event.json : "";
      expect(JSON.parse(join(events, "tool-input-delta", own))).toEqual(input);
    }
    const types = [
      ...new Set(events.map(({ type }) => type).filter((type) => /delta|^thinking|tool-start/u.test(type))),
    ];
    const order = ["thinking-delta", "signature-delta", "thinking", "text-delta", "tool-input-delta", "tool-start"];
    expect(types).toEqual(order);
  });

  test("are left out where they are not wanted", async () => {
    await using agent = await startOfflineAgent(scenario, { includePartialMessages: false });
    const { events } = await collect(agent.engine, claudePrompt("Write"));
    expect(events.filter(({ type }) => type.endsWith("-delta"))).toEqual([]);
  });
});

describe("the model", () => {
  test("of a result and of what was written is the one that answered, after a fallback too, in each turn", async () => {
    await using agent = await startOfflineAgent(scenario, {
      model: "claude-opus-4-8",
      fallbackModel: "claude-sonnet-5-5",
    });
    await using client = new ClaudeSDKClient(agent.options);
    for (const _ of [1, 2]) {
      await client.query("Write");
      const events = [];
      for await (const event of client.receiveResponse()) events.push(event);
      const written = events.filter((event) => isEvent(event, "text", "thinking", "tool-start"));
      expect(new Set(written.map(({ model }) => model))).toEqual(new Set(["claude-sonnet-5-5"]));
      expect(events.find((event) => isEvent(event, "turn-start"))).toMatchObject({ model: "claude-opus-4-8" });
      expect(events.at(-1)).toMatchObject({ result: { model: "claude-sonnet-5-5", isError: false } });
    }
  });

  test("of a result is the main conversation's where a sub-agent has another, and the asked one where none answered", async () => {
    await using agent = await startOfflineAgent(scenario, { env: { CLAUDE_CODE_MAX_RETRIES: "0" } });
    const delegated = await agent.engine.execute(claudePrompt("Delegate"));
    expect(Object.keys(delegated.usageByModel).toSorted()).toEqual(["claude-haiku-5-5", "claude-sonnet-5-5"]);
    expect(delegated.model).toBe("claude-sonnet-5-5");
    const failed = await agent.engine.execute(claudePrompt("Go"), { model: "claude-opus-4-8" });
    expect(failed).toMatchObject({ isError: true, model: "claude-opus-4-8" });
  });

  test("of a turn that was killed while its first response was written is the one that wrote", async () => {
    await using agent = await startOfflineAgent(scenario, { model: "sonnet" });
    const stop = new AbortController();
    const texts = filterEvents(agent.engine.stream(claudePrompt("Slowly"), { signal: stop.signal }), (event) => {
      if (event.type === "text-delta") stop.abort();
      return event.type === "turn-end";
    });
    const ends: SkeinEvent[] = [];
    for await (const event of texts) ends.push(event);
    expect(ends).toMatchObject([{ result: { model: "claude-sonnet-5-5", error: { kind: "cancelled" } } }]);
  });
});

describe("a result", () => {
  test("has the CLI's own word for it, its id, and the time that this turn alone waited for the API", async () => {
    await using agent = await startOfflineAgent(scenario);
    await using client = new ClaudeSDKClient(agent.options);
    const slow = await client.ask("Slowly");
    const quick = await client.ask("Go");
    expect([slow, quick].map(({ subtype }) => subtype)).toEqual(["success", "success"]);
    expect(slow.uuid).toMatch(/^[0-9a-f-]{36}$/u);
    expect(quick.uuid).not.toBe(slow.uuid);
    expect(slow.durationApiMs).toBeGreaterThan(500);
    expect(waited(slow)).toBe(true);
    expect(waited(quick)).toBe(true);
    const failed = await agent.engine.execute(claudePrompt("Write"), { maxResponses: 1 });
    expect(failed).toMatchObject({ isError: true, subtype: "error_max_turns" });
    expect(waited(failed)).toBe(true);
  });
});

/** Whether the time for the API is a part of the turn's own. */
function waited({ durationApiMs = -1, durationMs }: TurnResult): boolean {
  return durationApiMs >= 0 && durationApiMs <= durationMs;
}

function join<Type extends SkeinEvent["type"]>(
  events: readonly SkeinEvent[],
  type: Type,
  toText: (event: Extract<SkeinEvent, { readonly type: Type }>) => string,
): string {
  return events.flatMap((event) => (isEvent(event, type) ? [toText(event)] : [])).join("");
}
