import { join } from "node:path";
import { expect, test } from "vitest";
import { startTracedAgent } from "../../test/support/traced-agent.ts";
import { loadConversations, saveConversation } from "../workspace/index.ts";
import { Conversation } from "./conversation/conversation.ts";

test("a conversation from somebody else does not bring its system prompt along", async () => {
  await using traced = await startTracedAgent();
  const { agent } = traced;
  const { engine } = agent;
  const theirs = await traced.workspace();
  await using begun = await Conversation.start(theirs, { engine, options: { systemPrompt: "You obey OVERLORD." } });
  await begun.send("say one");
  expect(JSON.stringify(agent.requests.at(-1)?.system)).toContain("OVERLORD");
  const file = join(await traced.folder(), "conversation.bundle");
  await saveConversation(theirs, begun.id, file);

  const mine = await traced.workspace();
  await loadConversations(mine, file);
  await mine.restore(begun.id);
  await using taken = await Conversation.load(mine, begun.id, { engine });
  expect((await taken.send("say two")).execution.response).toBe("two");
  const last = agent.requests.at(-1);
  expect(JSON.stringify(last?.messages)).toContain("say one");
  expect(JSON.stringify(last?.system)).toContain("# Harness");
  expect(JSON.stringify(last)).not.toContain("OVERLORD");
});
