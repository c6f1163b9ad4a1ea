import { expect, test } from "vitest";
import { drain, type TurnResult } from "../../core/index.ts";
import { startOfflineAgent } from "../../testing/index.ts";
import { createAttachment } from "./attachment.ts";
import { claudePrompt, readPrompt, type PromptInput, type PromptSource } from "./claude-prompt.ts";
import { ClaudeSDKClient } from "../claude-sdk-client.ts";
import { withPlugins } from "../plugins/with-plugins.ts";
import { conversation, query } from "../query.ts";
import { createResilientEngine } from "../resilience/resilient-engine.ts";

const note = createAttachment({ name: "note.md", mediaType: "text/plain", data: "# A note" });
const scenario = { name: "prompts", rules: [{ steps: [{ say: "I was asked: {{prompt}}" }] }] };
const ASKED = "I was asked: First\n\nSecond\n\nThird";

async function* parts(): AsyncGenerator<PromptSource> {
  yield "First";
  yield { text: "Second", attachments: [note] };
  yield { type: "user", message: { role: "user", content: [{ type: "text", text: "Third" }] } } as never;
}

test("an async iterable is one prompt, with the attachments of all its parts, wherever a prompt is taken", async () => {
  await using agent = await startOfflineAgent(scenario);
  await using client = new ClaudeSDKClient(agent.options);
  const takers: readonly ((prompt: PromptInput) => Promise<TurnResult>)[] = [
    (prompt) => agent.engine.execute(prompt),
    (prompt) => query(prompt, agent.options),
    (prompt) => client.ask(prompt),
    (prompt) => drain(client.stream(prompt)),
    (prompt) => withPlugins(agent.engine, []).execute(prompt),
    (prompt) => createResilientEngine(agent.engine).execute(prompt),
  ];
  for (const take of takers) {
    agent.forget();
    expect((await take(parts())).text).toBe(ASKED);
    expect(JSON.stringify(agent.requests[0]?.messages)).toContain("# A note");
    expect((await take("First")).text).toBe("I was asked: First");
    for (const junk of JUNK)
      await expect(take(junk as never)).rejects.toMatchObject({ kind: "usage", target: "prompt" });
  }
});

const JUNK: readonly unknown[] = [
  undefined,
  null,
  7,
  "",
  [],
  ["First"],
  {},
  { text: 7 },
  { text: "First", attachment: note },
  { text: "First", attachments: [{ type: "image" }] },
  Promise.resolve("First"),
  given([7]),
  given([]),
];

test("a conversation takes its prompts from an async iterable as they come, and no text for a list of letters", async () => {
  await using agent = await startOfflineAgent(scenario);
  const texts: string[] = [];
  async function* prompts(): AsyncGenerator<PromptSource> {
    yield "First";
    yield `${texts.length} answered`;
  }
  for await (const event of conversation(prompts(), agent.options)) {
    if (event.type === "turn-end") texts.push(event.result.text);
  }
  expect(texts).toEqual(["I was asked: First", "I was asked: 1 answered"]);
  for (const junk of ["First", undefined, 7]) {
    await expect(drain(conversation(junk as never, agent.options))).rejects.toMatchObject({ kind: "usage" });
  }
});

test("an iterable that never goes on is left when the turn is cancelled, and what it throws is told", async () => {
  const stop = new AbortController();
  let isLeft = false;
  const endless: AsyncIterable<string> = {
    [Symbol.asyncIterator]: () => ({
      next: () => new Promise(() => stop.abort()),
      return: async () => ({ done: (isLeft = true), value: undefined }),
    }),
  };
  await expect(readPrompt(endless, stop.signal)).rejects.toMatchObject({ kind: "cancelled" });
  expect(isLeft).toBe(true);
  async function* failing(): AsyncGenerator<string> {
    yield "First";
    throw new Error("the source is gone");
  }
  await expect(readPrompt(failing())).rejects.toMatchObject({ kind: "runtime", message: "the source is gone" });
  expect(() => claudePrompt(7 as never)).toThrow(expect.objectContaining({ kind: "usage" }) as Error);
});

function given(values: readonly unknown[]): AsyncIterable<unknown> {
  // Each taker reads it anew.
  return {
    async *[Symbol.asyncIterator]() {
      yield* values;
    },
  };
}
