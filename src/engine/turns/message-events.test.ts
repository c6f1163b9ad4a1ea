import type { CanUseTool, SDKMessage } from "@anthropic-ai/claude-agent-sdk";
import { expect, it } from "vitest";
import { createFakeClock } from "../../testing/index.ts";
import { watchQuestions } from "../permissions/open-questions.ts";
import { createMessageReader } from "./message-events.ts";

it("counts no question as a tool's time, the one about the call before it neither", async () => {
  const clock = createFakeClock();
  const canUseTool: CanUseTool = async (_, { waits }) => {
    clock.advance(Number(waits));
    return { behavior: "allow" };
  };
  const { watched, questions } = watchQuestions({ canUseTool }, clock);
  const reader = createMessageReader(clock, questions);
  const ask = (waits: number) => watched.canUseTool?.("Write", { waits }, {} as never);
  const calls = ["one", "two"].map((id) => ({ type: "tool_use", id, name: "Write", input: {} }));
  reader.read({ type: "assistant", message: { content: calls } } as unknown as SDKMessage);

  const ended = async (id: string, waits: number, works: number): Promise<unknown> => {
    await ask(waits);
    clock.advance(works);
    const result = { type: "tool_result", tool_use_id: id, content: "" };
    const [event] = reader.read({ type: "user", message: { content: [result] } } as unknown as SDKMessage);
    return event?.type === "tool-end" ? event.durationMs : undefined;
  };
  expect(await ended("one", 60_000, 5)).toBe(5);
  // It began with the other one, and worked for 7 ms after it.
  expect(await ended("two", 30_000, 7)).toBe(12);
});
