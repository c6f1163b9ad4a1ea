import { existsSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { bash } from "../../../test/support/direct-script.ts";
import { startTracedAgent, type TracedAgent } from "../../../test/support/traced-agent.ts";
import { drain } from "../../core/index.ts";
import { ClaudeEngine } from "../../engine/index.ts";
import { ProcessManager } from "../../engine/internal.ts";
import { ClaudeEnvironment } from "../../search/index.ts";
import { ClaudeAgent } from "./claude-agent.ts";

let traced: TracedAgent;
let processes: ProcessManager;
let engine: ClaudeEngine;

beforeAll(async () => {
  traced = await startTracedAgent();
  processes = new ProcessManager(join(traced.agent.home, "processes"));
  engine = new ClaudeEngine(traced.agent.options, { processes });
});

afterAll(async () => {
  await processes[Symbol.asyncDispose]();
  await traced.close();
});

const hang = bash("touch hanging; tail -f /dev/null");

async function start(): Promise<ClaudeAgent> {
  return new ClaudeAgent(await traced.folder(), { engine, workspace: { home: await traced.folder() } });
}

test("of two first prompts at once one is refused, and the agent has the other's conversation", async () => {
  const agent = await start();
  const sent = await Promise.allSettled([agent.send("say one"), agent.send("say two")]);
  expect(sent.map((result) => (result.status === "fulfilled" ? result.value.text : result.reason.kind))).toEqual([
    "one",
    "workspace_busy",
  ]);
  expect(agent.history().map(({ text }) => text)).toEqual(["one"]);
  expect((await agent.send("say three")).text).toBe("three");
  expect(agent.conversation?.history()).toHaveLength(2);
  await agent.close();
  expect(processes.processes()).toEqual([]);
});

test("a new conversation is refused while a turn runs, and the turn goes on", async () => {
  const agent = await start();
  const sent = await Promise.allSettled([
    agent.send("say one", { continue: false }),
    agent.send("say two", { continue: false }),
  ]);
  expect(sent.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
  const running = agent.send(hang);
  const directory = (await agent.workspace()).path;
  await vi.waitFor(() => expect(existsSync(join(directory, "hanging"))).toBe(true), 20_000);
  await expect(agent.newConversation()).rejects.toMatchObject({ kind: "workspace_busy" });
  await expect(agent.loadConversation("@")).rejects.toMatchObject({ kind: "workspace_busy" });
  await agent.close();
  expect((await running).transition.execution).toMatchObject({ outcome: "cancelled" });
  expect(processes.processes()).toEqual([]);
});

test("an agent that is closed while its first turn begins leaves no process", async () => {
  const agent = await start();
  const sent = agent.send("say one").catch((error: unknown) => error);
  await agent.close();
  await sent;
  expect(processes.processes()).toEqual([]);
});

test("a reader who closes the agent in the middle of a turn is not waited for", async () => {
  const agent = await start();
  for await (const event of agent.stream(hang)) {
    if (event.type !== "tool-start") continue;
    await agent.close();
    break;
  }
  expect(processes.processes()).toEqual([]);
});

test("after an open that failed, the agent can be closed, and tried again", async () => {
  const place = join(await traced.folder(), "a file");
  await writeFile(place, "");
  const agent = new ClaudeAgent(place, { engine, workspace: { home: await traced.folder() } });
  await expect(agent.send("say one")).rejects.toThrow();
  await agent.close();
  await expect(agent.send("say one")).rejects.toThrow();
  await rm(place);
  expect((await agent.send("say one")).text).toBe("one");
  await agent.close();
});

test("of two first steps at once in an environment one is refused, and no process is left", async () => {
  const environment = await ClaudeEnvironment.open(await traced.folder(), {
    engine,
    workspace: { home: await traced.folder() },
  });
  const steps = await Promise.allSettled([environment.step("say one"), environment.step("say two")]);
  expect(steps.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
  await environment.close();
  expect(processes.processes()).toEqual([]);
});

test("what is read of a turn is the same by stream as by send", async () => {
  await using agent = await start();
  expect((await drain(agent.stream("say one"))).text).toBe("one");
});
