import { execFile } from "node:child_process";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { ClaudeEngine } from "../src/engine/index.ts";
import { Conversation, TransitionRecorder, verifyWorkspace } from "../src/trace/index.ts";
import { readStateFile } from "../src/trace/internal.ts";
import { findUnheld } from "../src/trace/undo/restore-state.ts";
import { loadConversations, pullStates, pushStates, saveConversation, type Workspace } from "../src/workspace/index.ts";
import { bash, write } from "./support/direct-script.ts";
import { startTraceHost } from "./support/start-trace-host.ts";
import { startTracedAgent, type TracedAgent } from "./support/traced-agent.ts";

const run = promisify(execFile);

const PROMPTS = [write("a.txt", "one"), bash("cat a.txt; echo two >> a.txt"), `say three\n${bash("wc -l a.txt")}`];

let traced: TracedAgent;
beforeAll(async () => {
  traced = await startTracedAgent();
});
beforeEach(() => traced.agent.forget());
afterAll(() => traced.close());

/** An engine on a machine of its own: nothing of Claude Code's own records is there. */
async function machine(): Promise<ClaudeEngine> {
  const { options } = traced.agent;
  const home = await traced.folder();
  return new ClaudeEngine({
    ...options,
    env: { ...options.env, HOME: home, CLAUDE_CONFIG_DIR: join(home, ".claude") },
  });
}

/** What the model is sent for one more turn. */
async function sentFor(conversation: Conversation): Promise<readonly string[]> {
  traced.agent.forget();
  await conversation.send("say four");
  const [request = []] = traced.said();
  return request
    .filter((message) => !message.startsWith("system: "))
    .map((message) => message.replaceAll(/\/\S*?\/w-\w+/gu, "HERE"));
}

async function converse(workspace: Workspace, engine: ClaudeEngine, prompts = PROMPTS): Promise<Conversation> {
  const conversation = await Conversation.start(workspace, { engine });
  for (const prompt of prompts) await conversation.send(prompt);
  return conversation;
}

test("after trips over a remote and a file, forks and lost transcripts the model sees the history exactly once", async () => {
  await using straight = await converse(await traced.workspace(), traced.agent.engine);
  const expected = await sentFor(straight);
  expect(expected.filter((message) => message.startsWith("user: "))).toHaveLength(7);

  const remote = await traced.folder();
  await run("git", ["init", "-q", "--bare", remote]);
  const [first, second, third, fourth] = await Promise.all([machine(), machine(), machine(), machine()]);
  const here = await traced.workspace();
  const begun = await converse(here, first, PROMPTS.slice(0, 1));
  await begun.close();
  expect(await pushStates(here, remote)).toEqual([{ ref: `refs/skein/conversations/${begun.id}`, status: "new" }]);

  const there = await traced.workspace();
  await pullStates(there, remote);
  await there.restore(begun.id);
  // Only states travel: the snapshots that were taken there are not here.
  await writeFile(join(there.path, "by-hand.txt"), "mine");
  expect(await there.unrecorded(begun.id)).toEqual(["by-hand.txt"]);
  await rm(join(there.path, "by-hand.txt"));
  expect(await findUnheld(there, await readStateFile(there.states, await there.states.resolve("@")))).toEqual([]);
  const gone = await Conversation.load(there, begun.id, { engine: second });
  await gone.send(PROMPTS[1] ?? "");
  await gone.close();
  expect(gone.id).toBe(begun.id);
  expect(await pushStates(there, remote)).toEqual([{ ref: `refs/skein/conversations/${begun.id}`, status: "moved" }]);
  await pullStates(here, remote);
  await here.restore(begun.id);
  expect(await readFile(join(here.path, "a.txt"), "utf8")).toBe("onetwo\n");

  const forked = await Conversation.load(here, (await here.states.tip(begun.id)) ?? "", { engine: third });
  const fork = await forked.fork();
  await fork.send(PROMPTS[2] ?? "");
  await fork.close();
  const file = join(await traced.folder(), "saved.bundle");
  await saveConversation(here, fork.id, file);
  const last = await traced.workspace();
  expect([...(await loadConversations(last, file)).keys()]).toEqual([fork.id]);
  await last.restore(fork.id);
  const loaded = await Conversation.load(last, fork.id, { engine: fourth });
  await using again = await loaded.fork();
  expect(await sentFor(again)).toEqual(expected);
  expect(again.history().map(({ prompt }) => prompt.text)).toEqual([...PROMPTS, "say four"]);
  for (const workspace of [here, there, last]) expect((await verifyWorkspace(workspace)).problems).toEqual([]);
});

test("another process goes on after Claude Code's own records are gone", async () => {
  const workspace = await traced.workspace();
  const conversation = await converse(workspace, traced.agent.engine, PROMPTS.slice(0, 2));
  await rm(join(traced.agent.home, ".claude"), { recursive: true, force: true });
  traced.agent.forget();
  const host = startTraceHost({
    directory: workspace.path,
    home: join(workspace.home, "../.."),
    url: traced.agent.url,
    config: await traced.folder(),
    conversation: conversation.id,
    prompts: [bash("cat a.txt")],
  });
  const said = (await host.ended).at(-1);
  expect(said).toMatchObject({ conversation: conversation.id, response: "onetwo", outcome: "completed" });
  const texts = traced.said()[0]?.join("\n") ?? "";
  expect(texts.match(/echo two >> a\.txt/gu)).toHaveLength(2);
  // The conversation here catches up with what the other process did.
  const next = await conversation.send("say here again");
  expect(next.before.stateId).toBe(said?.stateId);
  expect(conversation.history()).toHaveLength(4);
  await conversation.close();
});

test("a conversation from an older state does not see what came later, which stays", async () => {
  const workspace = await traced.workspace();
  await using conversation = await converse(workspace, traced.agent.engine);
  const [first] = conversation.history();
  await workspace.restore(first?.after.stateId ?? "");
  await using other = await Conversation.load(workspace, first?.after.stateId ?? "", { engine: traced.agent.engine });
  traced.agent.forget();
  const turn = await other.send(bash("cat a.txt"));
  expect(turn.execution.response).toBe("one");
  expect(other.id).not.toBe(conversation.id);
  expect(JSON.stringify(traced.agent.requests)).not.toMatch(/echo two|wc -l/u);
  expect(other.history().map(({ id }) => id)).toEqual([first?.id, turn.id]);
  expect(await workspace.states.tip(conversation.id)).toBe(conversation.tip?.id);
  await expect(conversation.send("say no")).rejects.toMatchObject({ kind: "workspace_busy" });
});

test("a conversation that is gone on with in a branch leaves the workspace where it stands", async () => {
  const workspace = await traced.workspace();
  const { engine } = traced.agent;
  await using conversation = await converse(workspace, engine, PROMPTS.slice(0, 1));
  const here = conversation.tip?.id;
  await using branch = await workspace.branch("@");
  await using there = await Conversation.load(branch, conversation.id, { engine });
  await there.send(bash("echo branch > a.txt"));

  expect(there.id).toBe(conversation.id);
  expect(await readFile(join(workspace.path, "a.txt"), "utf8")).toBe("one");
  expect(await workspace.states.head()).toEqual({ stateId: here });
  expect(await workspace.states.resolve("@")).toBe(here);
  expect(await branch.states.head()).toEqual({ stateId: there.tip?.id, conversationId: conversation.id });
  await expect(conversation.send("say no")).rejects.toMatchObject({ kind: "workspace_busy" });
  // A fork works side by side.
  await using fork = await Conversation.load(workspace, "@", { engine });
  expect((await fork.send(bash("cat a.txt"))).execution.response).toBe("one");
});

test("states that are fetched move no directory from where its files are", async () => {
  const remote = await traced.folder();
  await run("git", ["init", "-q", "--bare", remote]);
  const [here, there] = [await traced.workspace(), await traced.workspace()];
  const { engine } = traced.agent;
  await using begun = await converse(here, engine, PROMPTS.slice(0, 1));
  await using branch = await here.branch("@");
  await branch.restore(begun.id);
  await pushStates(here, remote);
  await pullStates(there, remote);
  await there.restore(begun.id);
  await using gone = await Conversation.load(there, begun.id, { engine });
  const turn = await gone.send(bash("echo elsewhere > a.txt"));
  await using recorder = await TransitionRecorder.open(there);
  await recorder.reward(turn.after.stateId ?? "", { quality: 0.5 });
  await pushStates(there, remote);

  const before = begun.tip?.id;
  expect(await pullStates(here, remote)).toEqual([
    { ref: `refs/skein/conversations/${begun.id}`, status: "moved" },
    { ref: `refs/skein/notes/${turn.after.stateId}`, status: "new" },
  ]);
  expect(await here.states.head()).toEqual({ stateId: before });
  expect(await branch.states.head()).toEqual({ stateId: before });
  await using found = await TransitionRecorder.open(here);
  expect((await found.index.query({ reward: { name: "quality", min: 0.5 } })).map(({ id }) => id)).toEqual([
    turn.after.stateId,
  ]);
  expect((await found.index.load(turn.id))?.rewards).toEqual({ quality: 0.5 });
  // What did not move is followed as before.
  await here.restore(begun.id);
  expect(await pullStates(here, remote)).toEqual([]);
  expect(await here.states.head()).toEqual({ stateId: turn.after.stateId, conversationId: begun.id });
});
