import { cp, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bash, write } from "../../../test/support/direct-script.ts";
import { startTracedAgent, type TracedAgent } from "../../../test/support/traced-agent.ts";
import { ClaudeAgent } from "../agent/claude-agent.ts";

let traced: TracedAgent;
let file: string;
let original: string;

beforeAll(async () => {
  traced = await startTracedAgent();
  file = join(await traced.folder(), "saved.bundle");
  original = await traced.folder();
  await using agent = new ClaudeAgent(original, {
    engine: traced.agent.engine,
    workspace: { home: await traced.folder() },
  });
  await agent.send(write("sub/a.txt", "one"));
  await agent.saveConversation(file);
});
afterAll(() => traced.close());

async function elsewhere(path?: string): Promise<{ readonly agent: ClaudeAgent; readonly path: string }> {
  const place = path ?? (await traced.folder());
  const workspace = { home: await traced.folder() };
  return { agent: new ClaudeAgent(place, { engine: traced.agent.engine, workspace }), path: place };
}

test("a conversation from a file goes on in an empty directory, which is given its files", async () => {
  const { agent, path } = await elsewhere();
  await using _ = agent;
  await agent.loadConversation({ file });
  expect(agent.history().map(({ text }) => text)).toHaveLength(1);
  const response = await agent.send(bash("cat sub/a.txt; echo two > b.txt"));
  expect(response).toMatchObject({ text: "one", filesCreated: ["b.txt"], filesModified: [], filesDeleted: [] });
  expect(await readdir(path, { recursive: true })).toEqual(["b.txt", "sub", "sub/a.txt"]);
  expect(agent.history()).toHaveLength(2);
  await agent.conversation?.undo();
  expect(await readdir(path, { recursive: true })).toEqual(["sub", "sub/a.txt"]);
});

test("a directory with the same files is taken for the conversation's own", async () => {
  const same = await elsewhere();
  await using _ = same.agent;
  await cp(original, same.path, { recursive: true });
  await same.agent.loadConversation({ file });
  expect((await same.agent.send("say on")).allFilesChanged).toEqual([]);
});

test("a directory with other files is left alone, and the error says what to restore", async () => {
  const other = await elsewhere();
  await using _ = other.agent;
  await writeFile(join(other.path, "mine.txt"), "mine");
  await other.agent.loadConversation({ file });
  const tip = other.agent.conversation?.tip?.id ?? "";
  const error = await other.agent.send("say on").catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ kind: "conflict", hint: expect.stringContaining(`restore("${tip.slice(0, 12)}")`) });
  expect(JSON.stringify(error)).not.toContain("Another conversation");
  expect(await readdir(other.path)).toEqual(["mine.txt"]);
  // Doing as it says helps.
  const { undo } = await (await other.agent.workspace()).restore(tip.slice(0, 12));
  expect((await other.agent.send(bash("cat sub/a.txt"))).text).toBe("one");
  await (await other.agent.workspace()).restore(undo);
  expect(await readFile(join(other.path, "mine.txt"), "utf8")).toBe("mine");
});

test("where another conversation was here, that is what is said", async () => {
  const busy = await elsewhere();
  await using _ = busy.agent;
  await busy.agent.send("say hello");
  await busy.agent.loadConversation({ file });
  await expect(busy.agent.send("say on")).rejects.toMatchObject({ kind: "workspace_busy" });
});
