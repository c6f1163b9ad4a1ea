import { existsSync } from "node:fs";
import { appendFile, mkdtemp, readdir, readFile, realpath, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createFakeEngine } from "../src/testing/index.ts";
import { Conversation, verifyWorkspace } from "../src/trace/index.ts";
import { findInterruptedTurns } from "../src/trace/internal.ts";
import { keepInterruptedTurns } from "../src/trace/recovery/interrupted-turns.ts";
import { Workspace } from "../src/workspace/index.ts";
import { bash } from "./support/direct-script.ts";
import { startTraceHost, type TraceHostOrder } from "./support/start-trace-host.ts";
import { startTracedAgent } from "./support/traced-agent.ts";

let root: string;
let directory: string;
let home: string;

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "skein-recover-")));
  [directory, home] = [await mkdtemp(join(root, "w-")), await mkdtemp(join(root, "home-"))];
});

afterEach(() => rm(root, { recursive: true, force: true, maxRetries: 9 }));

const open = (): Promise<Workspace> => Workspace.open(directory, { home });

/** Has a host work in the directory, with an engine that writes files itself, up to its end or its death. */
async function host(
  order: Partial<TraceHostOrder>,
): Promise<readonly { readonly stateId?: string; readonly conversation?: string }[]> {
  return await startTraceHost({ directory, home, prompts: [], ...order }).ended;
}

async function journals(workspace: Workspace): Promise<readonly string[]> {
  return await readdir(join(workspace.home, "journals")).catch(() => []);
}

/** The files of the directory, with what is in them. */
async function files(): Promise<Record<string, string>> {
  const names = (await readdir(directory)).toSorted();
  return Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await readFile(join(directory, name), "utf8")])),
  );
}

const engine = createFakeEngine(() => "fine");

test("a turn that is killed in the middle of a Bash call is kept, and undone or gone on with", async () => {
  await using traced = await startTracedAgent();
  const { url } = traced.agent;
  const config = await traced.folder();
  const prompts = [
    bash("echo one > a.txt"),
    `${bash("echo two > a.txt")}\n${bash("touch hanging; tail -f /dev/null")}`,
  ];
  const running = startTraceHost({ directory, home, url, config, prompts });
  await vi.waitFor(() => expect(existsSync(join(directory, "hanging"))).toBe(true), 30_000);
  await using workspace = await open();
  // It runs: nobody else may touch it.
  expect(await findInterruptedTurns(workspace)).toEqual([]);
  expect(await keepInterruptedTurns(workspace)).toEqual([]);
  running.process.kill("SIGKILL");
  const conversationId = (await running.ended).find(({ conversation }) => conversation)?.conversation ?? "";

  expect(await findInterruptedTurns(workspace)).toMatchObject([
    { conversationId, prompt: prompts[1], hadEnded: false, toolsUsed: ["Bash", "Bash"] },
  ]);
  const [kept, ...others] = await keepInterruptedTurns(workspace);
  expect(others).toEqual([]);
  expect(kept?.transition.execution).toMatchObject({
    outcome: "interrupted",
    isError: true,
    error: { kind: "process" },
  });
  expect(kept?.transition.execution.ledger).toMatchObject({ source: "transcript", isLowerBound: true });
  expect(kept?.transition.execution.costUsd).toBeGreaterThan(0);
  expect(kept?.transition.execution.usage.outputTokens).toBeGreaterThan(0);
  expect(
    (await kept?.transition.toolExecutions())?.map(({ input, output, isOpen }) => [input, output, isOpen]),
  ).toEqual([
    [{ command: "echo two > a.txt" }, expect.anything(), false],
    [{ command: "touch hanging; tail -f /dev/null" }, undefined, true],
  ]);
  expect(await findInterruptedTurns(workspace)).toEqual([]);
  expect(await journals(workspace)).toEqual([]);

  const parts = { engine: traced.agent.engine };
  await using conversation = await Conversation.load(workspace, conversationId, parts);
  const next = await conversation.send(bash("cat a.txt"));
  expect(next.execution).toMatchObject({ outcome: "completed", response: "two" });
  expect(traced.said().at(-1)?.join("\n")).toContain("touch hanging");
  await using before = await conversation.undo();
  await using again = await before.undo();
  expect(await files()).toEqual({ "a.txt": "one\n" });
  traced.agent.forget();
  expect((await again.send(bash("cat a.txt"))).execution.response).toBe("one");
  expect(JSON.stringify(traced.agent.requests)).not.toContain("hanging");
  expect((await verifyWorkspace(workspace)).problems).toEqual([]);
});

describe("a host that dies", () => {
  const prompts = ["a.txt one", "a.txt two"];

  test.each([
    { where: "at turn-end", dieAt: "turn-end", hadEnded: true, outcome: "completed" },
    { where: "at tool-end", dieAt: "tool-end", hadEnded: false, outcome: "interrupted" },
    { where: "in write", dieIn: "write", hadEnded: true, outcome: "completed" },
    { where: "in moveTip", dieIn: "moveTip", hadEnded: true, outcome: "completed" },
  ] as const)("before the turn is recorded ($where) loses nothing of it", async ({ hadEnded, outcome, ...death }) => {
    await host({ prompts: prompts.slice(0, 1), ...death });
    await using workspace = await open();
    expect(await findInterruptedTurns(workspace)).toMatchObject([
      { prompt: "a.txt one", hadEnded, toolsUsed: ["Write"] },
    ]);
    const [kept] = await keepInterruptedTurns(workspace);
    expect(kept?.transition.execution).toMatchObject({ outcome, costUsd: hadEnded ? 0.01 : 0 });
    expect(await workspace.states.head()).toEqual({ stateId: kept?.state.id, conversationId: kept?.conversationId });
    expect((await kept?.transition.filesChanged())?.map(({ path }) => path)).toEqual(["a.txt"]);
    await using conversation = await Conversation.load(workspace, "@", { engine });
    await using before = await conversation.undo();
    expect(before.history()).toEqual([]);
    expect(await files()).toEqual({});
    expect(await journals(workspace)).toEqual([]);
    expect((await verifyWorkspace(workspace)).problems).toEqual([]);
  });

  test.each(["setHead", "release"] as const)("after the turn is named (%s) has it recorded once", async (dieIn) => {
    await host({ prompts: prompts.slice(0, 1), dieIn });
    await using workspace = await open();
    const [[conversationId, tip] = []] = await workspace.states.conversations();
    expect(await findInterruptedTurns(workspace)).toEqual([]);
    expect(await keepInterruptedTurns(workspace)).toEqual([]);
    expect(await journals(workspace)).toEqual([]);
    expect(await workspace.states.conversations()).toEqual(new Map([[conversationId, tip]]));
    expect(await workspace.states.head()).toEqual({ stateId: tip, conversationId });
    await using conversation = await Conversation.load(workspace, conversationId ?? "", { engine });
    await conversation.send("hello");
    expect(conversation.history().map(({ turn }) => turn)).toEqual([1, 2]);
  });

  test("in a second turn leaves the first, and the next turn keeps it before it begins", async () => {
    const [, ...lines] = (await host({ prompts, dieAt: "none" })).filter(({ conversation }) => conversation);
    const conversationId = lines[0]?.conversation ?? "";
    await host({ prompts: ["a.txt three"], conversation: conversationId, dieAt: "turn-end" });
    await using workspace = await open();
    await using conversation = await Conversation.load(workspace, conversationId, { engine });
    await writeFile(join(directory, "b.txt"), "after the fall");
    const next = await conversation.send("hello");
    expect(conversation.history().map(({ prompt }) => prompt.text)).toEqual([...prompts, "a.txt three", "hello"]);
    expect(await next.filesChanged()).toEqual([]);
    expect(await journals(workspace)).toEqual([]);
  });

  test("before a restore is kept without the files that were restored, and the directory stays where it was brought", async () => {
    const [first] = (await host({ prompts: prompts.slice(0, 1) })).filter(({ conversation }) => conversation);
    const { conversation: conversationId = "", stateId = "" } = first ?? {};
    await host({ prompts: ["a.txt two"], conversation: conversationId });
    await host({ prompts: ["a.txt three"], conversation: conversationId, dieAt: "turn-end" });
    await using workspace = await open();
    await workspace.restore(stateId);
    await using conversation = await Conversation.load(workspace, stateId, { engine });
    await conversation.send("hello");
    expect(await files()).toEqual({ "a.txt": "one" });
    expect(conversation.history().map(({ prompt }) => prompt.text)).toEqual(["a.txt one", "hello"]);
    const tip = await workspace.states.tip(conversationId);
    expect((await workspace.read(tip ?? "", "a.txt")).toString()).toBe("two");
    expect(await journals(workspace)).toEqual([]);
  });
});

describe("a journal", () => {
  test("with half a last line is read as far as it is whole", async () => {
    await host({ prompts: ["a.txt one"], dieAt: "tool-end" });
    await using workspace = await open();
    const [name = ""] = await journals(workspace);
    await appendFile(join(workspace.home, "journals", name), '{"tool":{"toolUseId":"x","tool":"Ba');
    expect((await keepInterruptedTurns(workspace))[0]?.transition.toolsUsed()).toEqual(["Write"]);
    expect(await journals(workspace)).toEqual([]);
  });

  test("without a whole first line is left alone while it is young, and removed when it is old", async () => {
    await using workspace = await open();
    await using conversation = await Conversation.start(workspace, { engine });
    await conversation.send("hello");
    const path = join(workspace.home, "journals", "01a1df25-0000-7000-8000-000000000000.jsonl");
    await writeFile(path, '{"version":1,"transi');
    expect(await findInterruptedTurns(workspace)).toEqual([]);
    expect(await journals(workspace)).toHaveLength(1);
    await utimes(path, new Date(0), new Date(0));
    await conversation.send("hello");
    expect(await journals(workspace)).toEqual([]);
  });
});
