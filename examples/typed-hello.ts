import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import {
  ClaudeAgentSDKAdapter,
  InProcessDispatcher,
  MarkdownSection,
  OutputError,
  Prompt,
  PromptTemplate,
  PromptSession,
} from "skein/prompt";
import { startOfflineAgent } from "skein/testing";
import { z } from "zod";

// The agent answers in the shape that it is asked for; the second prompt gets an answer that is not in its shape.
await using agent = await startOfflineAgent({
  name: "typed-hello",
  rules: [
    { when: { prompt: "Say hello to (\\w+)" }, steps: [{ output: { message: "Hello, {{1}}!" } }] },
    { when: { prompt: "Count" }, steps: [{ output: { count: 2.5 } }, { say: "Two and a half." }] },
  ],
});

const Hello = z.object({ message: z.string() });

const hello = new PromptTemplate({
  ns: "demo",
  key: "hello",
  output: Hello,
  sections: [
    new MarkdownSection({
      title: "Task",
      key: "task",
      template: "Say hello to ${name}. Return JSON with a single field: message.",
    }),
  ],
});

const executed: number[] = [];
const dispatcher = new InProcessDispatcher();
dispatcher.subscribe("prompt-executed", ({ usage }) => void executed.push(usage.outputTokens));
const session = new PromptSession({ dispatcher });

// With a real agent, `new ClaudeAgentSDKAdapter()` is all there is to say here.
const adapter = new ClaudeAgentSDKAdapter({ engine: agent.engine, maxRounds: 0 });

const response = await adapter.evaluate(new Prompt(hello).bind({ name: "Ada" }), { session });
deepStrictEqual(response.output, { message: "Hello, Ada!" });
strictEqual(response.transition?.execution.outcome, "completed");
strictEqual(response.usage.outputTokens, executed[0]);
ok(response.costUsd > 0);
console.log(response.output?.message, `(${response.usage.outputTokens} tokens, $${response.costUsd.toFixed(4)})`);

// What does not fit is an error that says what is wrong and what was answered; it is never half an answer.
const count = new PromptTemplate({
  ns: "demo",
  key: "count",
  output: z.object({ count: z.int() }),
  sections: [new MarkdownSection({ title: "Task", key: "task", template: "Count the files." })],
});
await rejects(adapter.evaluate(new Prompt(count), { session }), (error) => {
  ok(error instanceof OutputError);
  console.log(error.message);
  return error.kind === "parse" && error.issues.length > 0;
});
