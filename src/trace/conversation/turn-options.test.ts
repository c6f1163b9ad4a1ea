import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { bash, write } from "../../../test/support/direct-script.ts";
import { startTracedAgent, type TracedAgent } from "../../../test/support/traced-agent.ts";
import { ClaudeEngine } from "../../engine/index.ts";
import { ProcessManager } from "../../engine/internal.ts";
import { ClaudeEnvironment } from "../../search/index.ts";
import { createFakeEngine } from "../../testing/index.ts";
import type { Workspace } from "../../workspace/index.ts";
import { ClaudeAgent } from "../agent/claude-agent.ts";
import { Conversation } from "./conversation.ts";
import { defined } from "../../core/internal.ts";

let traced: TracedAgent;
let processes: ProcessManager;
let engine: ClaudeEngine;
let workspace: Workspace;

beforeAll(async () => {
  traced = await startTracedAgent();
  processes = new ProcessManager(join(traced.agent.home, "processes"));
  engine = new ClaudeEngine(traced.agent.options, { processes });
});

beforeEach(async () => {
  traced.agent.forget();
  workspace = await traced.workspace();
});

afterAll(async () => {
  await processes[Symbol.asyncDispose]();
  await traced.close();
});

test("tools, model, permission mode and limits of one turn are that turn's alone", async () => {
  await using conversation = await Conversation.start(workspace, { engine, options: { permissionMode: "default" } });
  await conversation.send("say one");
  const denied = await conversation.send(bash("touch no"), { disallowedTools: ["Bash"], allowedTools: [] });
  expect(denied.hasToolErrors()).toBe(true);
  expect(existsSync(join(workspace.path, "no"))).toBe(false);
  expect((await conversation.send(bash("touch yes"))).hasToolErrors()).toBe(false);
  expect(existsSync(join(workspace.path, "yes"))).toBe(true);

  expect((await conversation.send(write("a", "1"))).hasToolErrors()).toBe(true);
  const edited = await conversation.send(write("a", "1"), { permissionMode: "acceptEdits", model: "claude-opus-5-5" });
  expect(edited.hasToolErrors()).toBe(false);
  expect(edited.execution.model).toBe("claude-opus-5-5");
  expect(edited.metadata).toMatchObject({
    turnOptions: { permissionMode: "acceptEdits", model: "claude-opus-5-5" },
  });
  const after = await conversation.send(write("b", "1"));
  expect(after.hasToolErrors()).toBe(true);
  expect(after.execution.model).toBe("claude-sonnet-5-5");
  expect(conversation.tip?.settings).toMatchObject({ model: "claude-sonnet-5-5", permissionMode: "default" });

  const cut = await conversation.send([bash("true"), bash("true"), "say end"].join("\n"), { maxResponses: 1 });
  expect(cut.execution.error).toMatchObject({ kind: "budget" });
  const poor = await conversation.send([bash("true"), "say end"].join("\n"), { maxCostUsd: 0.000_01 });
  expect(poor.execution.error).toMatchObject({ kind: "budget", target: "maxCostUsd" });
  expect((await conversation.send([bash("true"), bash("true"), "say end"].join("\n"))).execution.response).toBe("end");
  expect(conversation.sessionIds).toHaveLength(1);
  expect(processes.processes()).toHaveLength(1);
}, 60_000);

test("a conversation that is loaded goes on with its own model, not with that of one turn", async () => {
  await using first = await Conversation.start(workspace, { engine });
  await first.send("say one");
  await first.send("say two", { model: "claude-opus-5-5" });
  await first.close();
  await using second = await Conversation.load(workspace, "@", { engine });
  expect((await second.send("say three")).execution.model).toBe("claude-sonnet-5-5");
});

test.each([
  ["send", { modle: "x" }, "There is no option modle", "Did you mean model?"],
  ["send", { disallowed_tools: ["Bash"] }, "There is no option disallowed_tools", "Did you mean disallowedTools?"],
  ["send", { cwd: "/" }, "cwd cannot be set for a single turn", "Set it when you open the conversation."],
  ["send", { maxResponses: 0 }, "maxResponses is 0; it must be above 0", undefined],
  ["step", { modle: "x" }, "There is no option modle", "Did you mean model?"],
  ["exploreFrom", { maxCostUSD: 1 }, "There is no option maxCostUSD", "Did you mean maxCostUsd?"],
  ["agent", { continu: true }, "There is no option continu", "Did you mean continue?"],
])("%s refuses %j before anything is run", async (how, options, message, hint) => {
  const fake = createFakeEngine(() => "never");
  const sends: Record<string, () => Promise<unknown>> = {
    send: async () => await (await Conversation.start(workspace, { engine: fake })).send("say one", options as object),
    step: async () => await (await openEnvironment()).step("say one", options as object),
    exploreFrom: async () => {
      const environment = await openEnvironment();
      return await environment.exploreFrom(await environment.checkpoint(), "say one", options as object);
    },
    agent: async () => await new ClaudeAgent(workspace.path, { engine: fake }).send("say one", options as object),
  };
  const openEnvironment = async (): Promise<ClaudeEnvironment> =>
    await ClaudeEnvironment.open(workspace.path, { engine: fake, workspace: { home: await traced.folder() } });
  const expected = { kind: "config", message, ...defined({ hint }) };
  await expect(sends[how]?.()).rejects.toMatchObject(expected);
});

test("an exploration has options of its own", async () => {
  await using environment = await ClaudeEnvironment.open(workspace.path, {
    engine,
    workspace: { home: await traced.folder() },
    reuse: "always",
  });
  const start = await environment.checkpoint();
  const denied = await environment.exploreFrom(start, bash("touch no"), {
    disallowedTools: ["Bash"],
    allowedTools: [],
  });
  expect(denied.transition.hasToolErrors()).toBe(true);
  const done = await environment.exploreFrom(start, bash("touch no"));
  expect(done.isReused).toBeUndefined();
  expect(done.transition.hasToolErrors()).toBe(false);
});

test("a turn can be interrupted, and the conversation goes on in the same process", async () => {
  await using conversation = await Conversation.start(workspace, { engine });
  const running = conversation.send(bash("touch hanging; tail -f /dev/null"));
  await vi.waitFor(() => expect(existsSync(join(workspace.path, "hanging"))).toBe(true), 20_000);
  const [{ pid } = {}] = processes.processes();
  expect(conversation.isRunning).toBe(true);
  await conversation.interrupt();
  expect((await running).execution).toMatchObject({ outcome: "cancelled", error: { kind: "cancelled" } });
  expect(conversation.isRunning).toBe(false);
  await expect(conversation.interrupt()).rejects.toMatchObject({ kind: "usage" });
  expect((await conversation.send("say on")).execution.response).toBe("on");
  expect(processes.processes()).toMatchObject([{ pid }]);
});

test("another model and permission mode stay until they are changed again, after a fork and a new process too", async () => {
  await using conversation = await Conversation.start(workspace, { engine, options: { permissionMode: "default" } });
  await conversation.setModel("claude-opus-5-5");
  expect((await conversation.send("say one")).execution.model).toBe("claude-opus-5-5");
  await conversation.setPermissionMode("acceptEdits");
  expect((await conversation.send(write("a", "1"))).hasToolErrors()).toBe(false);
  await conversation.setModel("claude-sonnet-5-5");
  process.kill(processes.processes()[0]?.pid ?? 0, "SIGKILL");
  await vi.waitFor(() => expect(processes.processes()).toEqual([]), 20_000);
  const again = await conversation.send(write("b", "1"));
  expect(again.execution.model).toBe("claude-sonnet-5-5");
  expect(again.hasToolErrors()).toBe(false);
  await using fork = await conversation.fork();
  expect((await fork.send("say three")).execution.model).toBe("claude-sonnet-5-5");
  await expect(conversation.setModel("")).rejects.toMatchObject({ kind: "config" });
});

test("a prompt while a turn runs is part of that turn", async () => {
  await using conversation = await Conversation.start(workspace, { engine });
  await expect(conversation.addPrompt("too early")).rejects.toMatchObject({ kind: "usage" });
  const running = conversation.send(bash("touch waiting; until [ -e go ]; do sleep 0.05; done"));
  await vi.waitFor(() => expect(existsSync(join(workspace.path, "waiting"))).toBe(true), 20_000);
  await conversation.addPrompt("mind the ducks");
  await writeFile(join(workspace.path, "go"), "");
  const turn = await running;
  expect(turn.execution.isError).toBe(false);
  expect(turn.metadata).toMatchObject({ addedPrompts: ["mind the ducks"] });
  expect(JSON.stringify(traced.agent.requests.at(-1)?.messages)).toContain("mind the ducks");
  expect((await conversation.send("say next")).execution.response).toBe("next");
  expect(conversation.history()).toHaveLength(2);
});

test("a prompt that comes while the answer is written is answered before the turn ends", async () => {
  await using conversation = await Conversation.start(workspace, { engine });
  let added: Promise<void> | undefined;
  for await (const event of conversation.stream("say first")) {
    if (event.type === "text") added ??= conversation.addPrompt("say second");
  }
  await added;
  expect(conversation.history().at(-1)?.execution).toMatchObject({ response: "second", isError: false });
  expect(conversation.history()).toHaveLength(1);
  expect((await conversation.send("say third")).execution.response).toBe("third");
});
