import type { CanUseTool } from "@anthropic-ai/claude-agent-sdk";
import { expect, it } from "vitest";
import { createFakeClock } from "../../testing/index.ts";
import { watchQuestions } from "./open-questions.ts";

type Answer = Awaited<ReturnType<CanUseTool>>;

it("counts the time in which questions are open once", async () => {
  const clock = createFakeClock();
  const answers: ((answer: Answer) => void)[] = [];
  const canUseTool: CanUseTool = () => new Promise((resolve) => answers.push(resolve));
  const { watched, questions } = watchQuestions({ canUseTool }, clock);
  const ask = (toolUseID: string): Promise<Answer | null> | undefined =>
    watched.canUseTool?.("Bash", {}, { toolUseID, signal: new AbortController().signal } as never);
  expect([questions.isWaiting, questions.waitedMs()]).toEqual([false, 0]);

  const first = ask("one");
  clock.advance(100);
  const second = ask("two");
  clock.advance(50);
  expect([questions.isWaiting, questions.waitedMs()]).toEqual([true, 150]);
  answers[0]?.({ behavior: "deny", message: "" });
  await first;
  clock.advance(25);
  answers[1]?.({ behavior: "deny", message: "" });
  await second;
  clock.advance(1000);
  expect([questions.isWaiting, questions.waitedMs()]).toEqual([false, 175]);
});
