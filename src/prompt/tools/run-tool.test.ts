import { describe, expect, it } from "vitest";
import { z } from "zod";
import { PromptSession } from "../session/prompt-session.ts";
import { runTool, type ToolReply } from "./run-tool.ts";
import { ToolResult } from "./tool-result.ts";
import { tool, type AnyTool, type ToolContext } from "./tool.ts";

const context: ToolContext = {
  resources: {},
  session: new PromptSession(),
  signal: new AbortController().signal,
  heartbeat: () => undefined,
  callId: "call",
};

const order = tool({
  name: "order",
  description: "Order something",
  params: z.object({
    item: z.object({ name: z.string() }),
    count: z.number().int(),
    tags: z.array(z.string()).optional(),
  }),
  handler: (params) => ToolResult.ok(params),
});

async function reply(given: AnyTool, args: unknown): Promise<ToolReply> {
  return await runTool(given, args, context);
}

/** A tool whose handler gives this, whatever it is. */
function giving(result: unknown, more: object = {}): AnyTool {
  return tool({ name: "give", description: "Give", ...more, handler: () => result as ToolResult });
}

describe("a call of a tool", () => {
  it("reaches the handler with what the schema made of the arguments", async () => {
    const args = { item: { name: "tea" }, count: 2 };
    expect(await reply(order, args)).toMatchObject({ text: JSON.stringify(args), isError: false });
  });

  it.each([
    [
      "an unknown argument",
      { item: { name: "tea" }, count: 2, colour: "red" },
      "colour is not known; it takes item, count, tags",
    ],
    [
      "an unknown one further in",
      { item: { name: "tea", sort: "x" }, count: 2 },
      "item.sort is not known; it takes item, count, tags",
    ],
    [
      "a number as text",
      { item: { name: "tea" }, count: "2" },
      "count: Invalid input: expected number, received string",
    ],
    ["one that is missing", { item: { name: "tea" } }, "count: Invalid input: expected number, received undefined"],
  ])("is refused with %s", async (_, args, problem) => {
    expect(await reply(order, args)).toEqual({ text: `Invalid arguments for order: ${problem}`, isError: true });
  });

  it("shows the model what the value says of itself, its JSON, or the message", async () => {
    const rendered = { secret: 1, render: () => "three matches" };
    expect((await reply(giving(ToolResult.ok(rendered)), {})).text).toBe("three matches");
    expect((await reply(giving(ToolResult.ok({ matches: 3 })), {})).text).toBe('{"matches":3}');
    expect((await reply(giving(ToolResult.ok("as it is")), {})).text).toBe("as it is");
    expect((await reply(giving(ToolResult.ok(undefined, "Sent.")), {})).text).toBe("Sent.");
    const excluded = { ...ToolResult.ok({ matches: 3 }, "Saved."), excludeValueFromContext: true };
    expect(await reply(giving(excluded), {})).toEqual({ text: "Saved.", isError: false, result: excluded });
  });

  it("fails with words where the handler fails, throws, or gives what it should not", async () => {
    expect(await reply(giving(ToolResult.error("No such index.")), {})).toMatchObject({
      text: "No such index.",
      isError: true,
    });
    const thrower = tool({ name: "give", description: "Give", handler: () => Promise.reject(new Error("boom")) });
    expect(await reply(thrower, {})).toEqual({ text: "The tool give failed: boom", isError: true });
    expect(await reply(giving("text"), {})).toEqual({
      text: "The tool give failed: its handler returned no ToolResult",
      isError: true,
    });
    const promised = giving(ToolResult.ok({ matches: "3" }), { result: z.object({ matches: z.number() }) });
    expect(await reply(promised, {})).toMatchObject({
      isError: true,
      text: expect.stringContaining("matches: Invalid input"),
    });
    const circle: Record<string, unknown> = {};
    circle["self"] = circle;
    expect(await reply(giving(ToolResult.ok(circle)), {})).toMatchObject({
      isError: true,
      text: expect.stringContaining("circular"),
    });
  });

  it("is over when its signal is aborted, though the handler never ends", async () => {
    const stop = new AbortController();
    const stuck = tool({ name: "stuck", description: "Hang", handler: () => new Promise<never>(() => undefined) });
    const running = runTool(stuck, {}, { ...context, signal: stop.signal });
    stop.abort(new Error("the turn ended"));
    expect(await running).toEqual({ text: "The tool stuck failed: the turn ended", isError: true });
  });
});
