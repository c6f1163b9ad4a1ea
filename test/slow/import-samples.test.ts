import { mkdir, readdir, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { drain, type TurnResult } from "../../src/core/index.ts";
import { claudePrompt } from "../../src/engine/index.ts";
import { Conversation, verifyWorkspace } from "../../src/trace/index.ts";
import { readSession } from "../../src/trace/internal.ts";
import { projectFolderName } from "../../src/core/internal.ts";
import { load } from "../../src/transcript/index.ts";
import { bash } from "../support/direct-script.ts";
import { startTracedAgent, type TracedAgent } from "../support/traced-agent.ts";
import { allSamples, type TranscriptSample } from "../support/transcript-samples.ts";

let traced: TracedAgent;
beforeAll(async () => {
  traced = await startTracedAgent();
});
beforeEach(() => traced.agent.forget());
afterAll(() => traced.close());

/** One with a torn line, and one that is a sub-agent's own. */
const REFUSED = /torn|v2\.1\.39-subagent/u;

test.each(allSamples().filter(({ name }) => !REFUSED.test(name)))(
  "$name is imported whole, and sent to the model as the CLI itself would send it",
  async (sample) => {
    const workspace = await traced.workspace();
    const file = await write(sample);
    await using conversation = await Conversation.import(workspace, { file }, traced.agent);
    const { main = [] } = (conversation.tip && (await readSession(workspace.states, conversation.tip))) ?? {};
    expect(main).toHaveLength((await load(file)).records.length);
    const turn = await conversation.send("say on");
    expect(turn.execution).toMatchObject({ outcome: "completed", response: "on" });
    expect((await turn.newMessages()).at(-1)?.content).toMatchObject([{ type: "text", text: "on" }]);
    const sent = conversed(traced.said()[0]);
    expect(await resumeByItself(conversation.tip?.sessionId ?? "", sample)).toMatchObject({ text: "on" });
    expect(sent).toEqual(conversed(traced.said()[0]));
    expect((await verifyWorkspace(workspace)).problems).toEqual([]);
  },
);

test.each(allSamples().filter(({ name }) => REFUSED.test(name)))("$name is refused", async (sample) => {
  const workspace = await traced.workspace();
  const taken = Conversation.import(workspace, { file: await write(sample) }, traced.agent);
  await expect(taken).rejects.toMatchObject({ kind: "session_corrupted" });
  expect((await workspace.states.conversations()).size).toBe(0);
});

/** Lets the CLI go on with the same transcript by itself. */
async function resumeByItself(resume: string, { bytes }: TranscriptSample): Promise<TurnResult> {
  const [cwd, config] = [await traced.folder(), await traced.folder()];
  const folder = join(config, "projects", projectFolderName(cwd));
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, `${resume}.jsonl`), bytes);
  traced.agent.forget();
  const env = { ...traced.agent.options.env, CLAUDE_CONFIG_DIR: config };
  const options = { resume, forkSession: true, cwd, env };
  return await traced.agent.engine.execute(claudePrompt("say on"), options);
}

/** What was said, without what the CLI tells of the place. */
function conversed(messages: readonly string[] = []): readonly string[] {
  return messages.filter((message) => !message.startsWith("system: "));
}

async function write({ name, bytes }: TranscriptSample): Promise<string> {
  const file = join(await traced.folder(), name.endsWith(".jsonl") ? name : `${name}.jsonl`);
  await writeFile(file, bytes);
  return file;
}

test("a session that a CLI is writing right now is taken up as far as it has come, and both go on", async () => {
  const [live, workspace] = [await traced.folder(), await traced.workspace()];
  const { engine, home } = traced.agent;
  const claudeHome = join(home, ".claude");
  await using cli = engine.open({ cwd: live });
  const wait = bash("touch begun; until test -e go; do :; done; echo went-on");
  const running = drain(cli.stream(claudePrompt(`say opening\n${wait}`)));
  await vi.waitFor(async () => expect(await readdir(live)).toEqual(["begun"]), { timeout: 20_000 });
  const folder = join(claudeHome, "projects", projectFolderName(live));
  const open = async (): Promise<string> => basename((await readdir(folder))[0] ?? "", ".jsonl");
  await using conversation = await Conversation.import(workspace, { session: await open(), claudeHome }, { engine });
  traced.agent.forget();
  const turn = await conversation.send("say beside it");
  expect(turn.execution).toMatchObject({ outcome: "completed", response: "beside it" });
  expect(traced.said()[0]?.join("\n")).toContain("say opening");
  await writeFile(join(live, "go"), "");
  expect(await running).toMatchObject({ isError: false });
  const after = await drain(cli.stream(claudePrompt("say still here")));
  expect(after).toMatchObject({ isError: false, text: "still here" });
  expect(JSON.stringify(traced.agent.requests.at(-1)?.messages)).not.toContain("beside it");
});
