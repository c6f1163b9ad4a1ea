import { appendFile, cp, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { bash, write } from "../../../test/support/direct-script.ts";
import { changedPaths, startTracedAgent, type TracedAgent } from "../../../test/support/traced-agent.ts";
import { claudePrompt } from "../../engine/index.ts";
import { projectFolderName } from "../../core/internal.ts";
import type { Workspace } from "../../workspace/index.ts";
import { Conversation } from "../conversation/conversation.ts";
import { readTranscript } from "./session-segments.ts";
import { unpackSessions } from "../unpacked/unpack-sessions.ts";
import { verifyWorkspace } from "../recovery/verify-workspace.ts";

const SECRET = "s3cret-of-this-process-42";
const DELEGATE = { description: "Work", prompt: bash("echo from-sub"), subagent_type: "general-purpose" };

let traced: TracedAgent;
let claudeHome: string;
let elsewhere: string;
let session: string;
let file: string;
let workspace: Workspace;

/** A session of the CLI's own in another directory: thinking, a sub-agent, and a secret that it saw. */
beforeAll(async () => {
  vi.stubEnv("DEPLOY_TOKEN", SECRET);
  traced = await startTracedAgent();
  claudeHome = join(traced.agent.home, ".claude");
  elsewhere = await traced.folder();
  const text = ["think Hard thoughts", write("old.txt", SECRET), `Agent ${JSON.stringify(DELEGATE)}`, "say early"];
  const prompt = claudePrompt(text.join("\n"));
  ({ sessionId: session } = await traced.agent.engine.execute(prompt, { cwd: elsewhere }));
  file = join(claudeHome, "projects", projectFolderName(elsewhere), `${session}.jsonl`);
});
beforeEach(async () => {
  traced.agent.forget();
  workspace = await traced.workspace();
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await traced.close();
});

/** What was said by the two of them. */
function conversed(messages: readonly string[] = []): readonly string[] {
  return messages.filter((message) => !message.startsWith("system: "));
}

async function listing(): Promise<readonly string[]> {
  const entries = await readdir(join(claudeHome, "projects"), { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  return await Promise.all(files.toSorted().map(async (path) => `${path}: ${await readFile(path, "utf8")}`));
}

test("a session of Claude Code's own is taken up with all that was said, and its files are only read", async () => {
  await writeFile(join(workspace.path, "here.txt"), "mine");
  const before = await listing();
  const parts = { engine: traced.agent.engine };
  await using conversation = await Conversation.import(workspace, { session: session.slice(0, 8), claudeHome }, parts);
  expect(await listing()).toEqual(before);
  expect(conversation.tip).toMatchObject({ kind: "start", sessionId: session, turns: 1 });
  expect(conversation.tip?.subject).toBe(`Start of a conversation from session ${session.slice(0, 8)}`);
  expect(conversation.history()).toEqual([]);
  const known = conversation.tip && (await readTranscript(workspace.states, conversation.tip));
  expect(known?.messages.some(({ thinking }) => thinking === "Hard thoughts")).toBe(true);
  expect(known?.subagents.map(({ agentType, source }) => [agentType, source])).toEqual([["general-purpose", "file"]]);
  expect(JSON.stringify(known)).not.toContain(SECRET);

  const turn = await conversation.send(bash("cat here.txt; echo new > new.txt"));
  expect(turn.execution).toMatchObject({ response: "mine", outcome: "completed" });
  expect(turn.execution.ledger.mismatches).toEqual([]);
  expect(turn.execution.sessionId).not.toBe(session);
  expect(await changedPaths(turn)).toEqual(["created new.txt"]);
  const [request] = traced.agent.requests.filter(({ tools }) => (tools?.length ?? 0) > 0);
  const sent = JSON.stringify(request?.messages);
  for (const words of ["old.txt", "early", "cat here.txt"]) expect(sent).toContain(words);
  // The model is sent what it would be if the CLI itself went on, thinking included, but for the secret.
  const imported = conversed(traced.said()[0]);
  traced.agent.forget();
  const resumed = { resume: session, forkSession: true, cwd: elsewhere };
  await traced.agent.engine.execute(claudePrompt(bash("cat here.txt; echo new > new.txt")), resumed);
  expect(imported).toEqual(
    conversed(traced.said()[0]).map((each) => each.replaceAll(SECRET, "[redacted DEPLOY_TOKEN]")),
  );
  expect(imported.join("\n")).toContain("thinking");
  expect((await listing()).filter((each) => each.startsWith(`${file}: `))).toEqual(
    before.filter((each) => each.startsWith(`${file}: `)),
  );
  // What was said elsewhere is not this turn's: neither its messages nor its money.
  expect((await turn.newMessages()).map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant"]);
  expect(conversation.totalCostUsd).toBe(turn.execution.costUsd);
  expect((await turn.sessionAfter())?.subagents).toHaveLength(1);
  const next = await conversation.send("say again");
  expect(next.execution.sessionId).toBe(turn.execution.sessionId);

  await conversation.close();
  await using loaded = await Conversation.load(workspace, conversation.id, parts);
  await using undone = await loaded.undo();
  await using first = await undone.undo();
  expect(await readdir(workspace.path)).toEqual(["here.txt"]);
  traced.agent.forget();
  await first.send("say anew");
  expect(traced.said()[0]?.join("\n")).toContain("old.txt");
  expect(traced.said()[0]?.join("\n")).not.toContain("new.txt");
  expect((await verifyWorkspace(workspace)).problems).toEqual([]);
  const { skipped } = await unpackSessions({ home: join(workspace.home, "../..") });
  expect(skipped).toEqual([]);
});

test("a session that cannot be taken up is refused with what to do, and nothing is recorded", async () => {
  const home = await traced.folder();
  const folder = join(home, "projects", projectFolderName("/somewhere"));
  const other = join(home, "projects", projectFolderName("/else/where"));
  for (const place of [folder, other]) await mkdir(place, { recursive: true });
  const [whole, sibling] = ["aaaa1111-0000-4000-8000-000000000001", "aaaa1111-0000-4000-8000-000000000002"];
  await cp(file, join(folder, `${whole}.jsonl`));
  await cp(file, join(folder, `${sibling}.jsonl`));
  await cp(file, join(other, `${sibling}.jsonl`));
  const lines = (await readFile(file, "utf8")).split("\n");
  const broken = join(folder, "bbbb1111-0000-4000-8000-000000000001.jsonl");
  await writeFile(broken, [lines[0], `${lines[2]?.slice(0, 200)}`, ...lines.slice(3)].join("\n"));
  await writeFile(join(folder, "cccc1111-0000-4000-8000-000000000001.jsonl"), '{"type":"mode"}\n');
  await writeFile(join(folder, "agent-1234.jsonl"), `${lines[2]}\n`);
  const parts = { engine: traced.agent.engine };
  const taken = (wanted: string): Promise<Conversation> =>
    Conversation.import(workspace, { session: wanted, claudeHome: home }, parts);
  const hint = (words: string): unknown => expect.stringContaining(words);

  await expect(taken("aaaa")).rejects.toMatchObject({ kind: "usage", hint: hint(whole) });
  await expect(taken(sibling)).rejects.toMatchObject({ kind: "usage", hint: hint(join(other, `${sibling}.jsonl`)) });
  for (const none of ["dddd", "", "agent-", "../../x"]) {
    await expect(taken(none)).rejects.toMatchObject({ kind: "session_not_found", hint: hint("skein sessions") });
  }
  await expect(taken("bbbb")).rejects.toMatchObject({
    kind: "session_corrupted",
    message: expect.stringContaining(`Line 2 of ${broken}`),
    hint: hint("name that file"),
  });
  await expect(taken("cccc")).rejects.toMatchObject({ kind: "session_corrupted" });
  const missing = Conversation.import(workspace, { file: join(home, "none.jsonl") }, parts);
  await expect(missing).rejects.toMatchObject({ kind: "filesystem" });
  expect((await workspace.states.conversations()).size).toBe(0);
  expect(await workspace.states.head()).toBeUndefined();

  // As the hints say: more of the id, or a file, which may have any name.
  const repaired = join(home, "repaired copy.jsonl");
  await writeFile(repaired, lines.join("\n").trimEnd());
  await appendFile(repaired, '\n{"type":"user","message":{"role":"us');
  await using fromFile = await Conversation.import(workspace, { file: repaired }, parts);
  expect(fromFile.tip).toMatchObject({ sessionId: session });
  await using fromId = await Conversation.import(workspace, { session: whole, claudeHome: home }, parts);
  const turn = await fromId.send("say taken");
  expect(traced.said()[0]?.join("\n")).toContain("old.txt");
  expect(turn.execution.response).toBe("taken");
});
