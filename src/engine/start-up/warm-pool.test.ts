import { AsyncLocalStorage } from "node:async_hooks";
import { mkdir, mkdtemp, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createSdkMcpServer } from "@anthropic-ai/claude-agent-sdk";
import { describe, expect, test, vi } from "vitest";
import { defineScenario } from "../../offline/index.ts";
import { createFakeClock, startOfflineAgent } from "../../testing/index.ts";
import { ClaudeEngine } from "../claude-engine.ts";
import type { ClaudeOptions } from "../options/claude-options.ts";
import { claudePrompt } from "../prompts/claude-prompt.ts";
import { ProcessManager } from "../processes/process-manager.ts";
import { WarmPool, type WarmPoolOptions } from "./warm-pool.ts";

const scenario = defineScenario({
  name: "pool tests",
  rules: [
    { when: { prompt: "^Where" }, steps: [{ say: "{{cwd}}" }] },
    {
      when: { prompt: "^Write" },
      steps: [{ call: { tool: "Write", input: { file_path: "{{cwd}}/made.txt", content: "x" } } }, { say: "written" }],
    },
  ],
});

describe("a pool", () => {
  test("serves a turn from a spare, in a folder that was not known before, and replaces it", async () => {
    await using started = await start();
    const { engine, pool, agent } = started;
    await engine.warm();
    expect(pool.statistics()).toMatchObject({ spares: 1, hits: 0 });
    const cwd = await mkdtemp(join(agent.cwd, "branch-"));
    expect(await engine.execute(claudePrompt("Where"), { cwd })).toMatchObject({ text: cwd, isError: false });
    expect(pool.statistics()).toMatchObject({ hits: 1, misses: 0, refusals: 0 });
    expect(pool.statistics().p50Ms).toBeGreaterThan(0);
    await vi.waitFor(() => expect(pool.statistics().spares).toBe(1), 20_000);
  });

  test("has the model told the same from a spare as from a process of the turn's own", async () => {
    await using started = await start();
    const { engine, pool, agent } = started;
    const told = async (): Promise<unknown> => {
      agent.forget();
      await engine.execute(claudePrompt("Where"));
      return agent.requests.map(({ model, system, messages, tools }) => ({ model, system, messages, tools }));
    };
    const cold = await told();
    await engine.warm();
    expect(await told()).toEqual(cold);
    expect(pool.statistics()).toMatchObject({ hits: 1, misses: 1 });
  });

  test("gives model and permission mode to the spare it claims", async () => {
    await using started = await start();
    const { engine, agent } = started;
    await engine.warm();
    const result = await engine.execute(claudePrompt("Write"), { permissionMode: "plan", model: "claude-opus-5-5" });
    expect(result).toMatchObject({ model: "claude-opus-5-5" });
    expect(agent.requests[0]?.model).toBe("claude-opus-5-5");
    expect(result.permissionDenials).toMatchObject([{ tool: "Write" }]);
  });

  test("starts cold where no spare fits, and says why", async () => {
    await using started = await start();
    const { engine, pool, agent } = started;
    await engine.warm();
    const serverObject = createSdkMcpServer({ name: "own", tools: [] });
    const sessionId = "7b6f1ad5-5a3e-4b0f-9a1c-0d1e2f3a4b5c";
    for (const options of [{ disallowedTools: ["Bash"] }, { mcpServers: { own: serverObject } }, { sessionId }]) {
      expect(await engine.execute(claudePrompt("Where"), options)).toMatchObject({ text: agent.cwd });
    }
    expect(await engine.execute(claudePrompt("Where"), { resume: sessionId })).toMatchObject({ text: agent.cwd });
    const missesBy = { "first-use": 1, "shared-server": 1, "session-id": 1, resumed: 1 };
    expect(pool.statistics()).toMatchObject({ spares: 1, hits: 0, misses: 4, missesBy });
  });

  test("starts no spare for options that come once, and one for those that come again", async () => {
    await using started = await start({}, { size: 1 });
    const { engine, pool, agent } = started;
    const once = (name: string) => engine.execute(claudePrompt("Where"), { env: { ...agent.options.env, ONCE: name } });
    for (const name of ["a", "b", "c"]) await once(name);
    expect(pool.statistics()).toMatchObject({ spares: 0, missesBy: { "first-use": 3 } });
    await once("a");
    await vi.waitFor(() => expect(pool.statistics().spares).toBe(1), 20_000);
    await once("a");
    expect(pool.statistics()).toMatchObject({ hits: 1, misses: 4, missesBy: { "first-use": 3, "none-waiting": 1 } });
  });

  test("hands over what is called in this process: each turn is asked by its own functions, and by no other's", async () => {
    await using started = await start({ permissionMode: "default" });
    const { engine, pool, agent } = started;
    const asked: string[] = [];
    const ofTurn = (name: string, behavior: "allow" | "deny"): ClaudeOptions => ({
      canUseTool: async (tool, input) => {
        asked.push(`${name} permission ${tool}`);
        return behavior === "allow" ? { behavior, updatedInput: input } : { behavior, message: "no" };
      },
      hooks: { PreToolUse: [{ hooks: [async () => (asked.push(`${name} hook`), {})] }] },
      stderr: () => undefined,
    });
    await engine.warm(ofTurn("nobody", "allow"));
    const refused = await engine.execute(claudePrompt("Write"), ofTurn("one", "deny"));
    expect(refused.permissionDenials).toMatchObject([{ tool: "Write" }]);
    await vi.waitFor(() => expect(pool.statistics().spares).toBe(1), 20_000);
    expect(await engine.execute(claudePrompt("Write"), ofTurn("two", "allow"))).toMatchObject({ text: "written" });
    expect(asked).toEqual(["one hook", "one permission Write", "two hook", "two permission Write"]);
    expect(await readFile(join(agent.cwd, "made.txt"), "utf8")).toBe("x");
    expect(pool.statistics()).toMatchObject({ hits: 2, misses: 0 });
  });

  test("starts a spare outside of the turn that asked for it, and calls a turn's functions in that turn", async () => {
    await using started = await start({ permissionMode: "default" });
    const { engine, agent } = started;
    const within = new AsyncLocalStorage<string>();
    const seen: (string | undefined)[] = [];
    const noted = <Value>(value: Value): Value => (seen.push(within.getStore()), value);
    const options: ClaudeOptions = {
      mcpServers: { own: () => noted(createSdkMcpServer({ name: "own", tools: [] })) },
      canUseTool: async (_, input) => noted({ behavior: "allow", updatedInput: input }),
    };
    await within.run("warming", async () => await engine.warm(options));
    await within.run("turn", async () => await engine.execute(claudePrompt("Write"), options));
    expect(await readdir(agent.cwd)).toContain("made.txt");
    // The first is the spare's; those of the next spare come before the turn's own or after it.
    expect(seen[0]).toBeUndefined();
    expect(seen.filter((each) => each !== undefined)).toEqual(["turn"]);
  });

  test("uses no spare that asks nobody where somebody is to be asked, and none with other hooks", async () => {
    await using started = await start({ permissionMode: "default" });
    const { engine, pool } = started;
    await engine.warm();
    const deny: ClaudeOptions["canUseTool"] = async () => ({ behavior: "deny", message: "no" });
    const hooks = (matcher: string) => ({ PreToolUse: [{ matcher, hooks: [async () => ({})] }] });
    const refused = await engine.execute(claudePrompt("Write"), { canUseTool: deny });
    expect(refused.permissionDenials).toMatchObject([{ tool: "Write" }]);
    await engine.warm({ hooks: hooks("Bash") });
    await engine.execute(claudePrompt("Where"), { hooks: hooks("Write") });
    expect(pool.statistics()).toMatchObject({ spares: 2, hits: 0, missesBy: { "first-use": 2 } });
  });

  test("uses no spare that was started with what a settings file said before", async () => {
    await using started = await start({ permissionMode: "acceptEdits" });
    const { engine, pool, agent } = started;
    const settings = join(agent.home, "settings.json");
    await writeFile(settings, "{}");
    await engine.warm({ settings });
    await writeFile(settings, JSON.stringify({ permissions: { deny: ["Write"] } }));
    await engine.execute(claudePrompt("Write"), { settings });
    expect(await readdir(agent.cwd)).not.toContain("made.txt");
    expect(pool.statistics()).toMatchObject({ spares: 1, hits: 0, missesBy: { "first-use": 1 } });
  });

  test("sends no prompt to a spare that does not answer, and starts cold", async () => {
    const clock = createFakeClock(Date.now());
    await using started = await start({}, { clock });
    const { engine, pool, processes, agent } = started;
    await engine.warm();
    process.kill(processes.processes()[0]?.pid ?? 0, "SIGSTOP");
    const turn = engine.execute(claudePrompt("Where"));
    await vi.waitFor(() => {
      clock.advance(1000);
      expect(pool.statistics()).toMatchObject({ hits: 0, refusals: 1, refusalsBy: { no_answer: 1 } });
    }, 20_000);
    expect(await turn).toMatchObject({ text: agent.cwd, isError: false });
  });

  test("starts cold where a spare refuses the folder", async () => {
    await using started = await start({ settingSources: ["project"] });
    const { engine, pool, agent } = started;
    await mkdir(join(agent.cwd, ".claude"));
    await writeFile(join(agent.cwd, ".claude", "settings.json"), JSON.stringify({ env: { SOMETHING: "1" } }));
    await engine.warm();
    expect(await engine.execute(claudePrompt("Where"))).toMatchObject({ text: agent.cwd, isError: false });
    const refusalsBy = { project_settings_not_claimable: 1 };
    expect(pool.statistics()).toMatchObject({ hits: 0, refusals: 1, refusalsBy });
  });

  test("starts cold where the spare has just died", async () => {
    await using started = await start();
    const { engine, pool, processes } = started;
    await engine.warm();
    process.kill(processes.processes()[0]?.pid ?? 0, "SIGKILL");
    expect(await engine.execute(claudePrompt("Where"))).toMatchObject({ isError: false });
    expect(pool.statistics().hits).toBe(0);
  });

  test("replaces a spare that dies while it waits, but not for ever", async () => {
    await using started = await start();
    const { engine, pool, processes } = started;
    await engine.warm();
    for (const [failures, spares] of [
      [1, 1],
      [2, 1],
      [3, 1],
      [4, 0],
    ] as const) {
      process.kill(processes.processes()[0]?.pid ?? 0, "SIGKILL");
      await vi.waitFor(() => expect(pool.statistics()).toMatchObject({ failures, spares }), 20_000);
    }
    expect(processes.processes()).toEqual([]);
  });

  test("lets a spare go that nobody claims for long, and the folder that it waited in", async () => {
    const clock = createFakeClock(Date.now());
    await using started = await start({}, { clock, idleMs: 60_000 });
    const { engine, pool, processes, agent } = started;
    await engine.warm();
    clock.advance(59_000);
    expect(pool.statistics().spares).toBe(1);
    clock.advance(1000);
    await vi.waitFor(() => expect(processes.processes()).toEqual([]), 20_000);
    expect(pool.statistics()).toMatchObject({ spares: 0, failures: 0 });
    await expect.poll(() => readdir(join(agent.home, ".claude", "spares"))).toEqual([]);
  });

  test("makes room for what is asked for by letting go what was not asked for lately", async () => {
    const clock = createFakeClock(Date.now());
    await using started = await start({}, { clock, maxSpares: 1 });
    const { engine, pool } = started;
    await engine.warm();
    await engine.warm({ disallowedTools: ["Bash"] });
    await engine.execute(claudePrompt("Where"), { disallowedTools: ["Bash"] });
    expect(pool.statistics()).toMatchObject({ spares: 1, hits: 0, missesBy: { "none-waiting": 1 } });
    clock.advance(60_000);
    await engine.warm({ disallowedTools: ["Bash"] });
    await engine.execute(claudePrompt("Where"), { disallowedTools: ["Bash"] });
    expect(pool.statistics()).toMatchObject({ hits: 1 });
  });

  test("lets spares go that hold too much memory", async () => {
    await using started = await start({}, { maxMemoryMb: 1 });
    await started.engine.warm();
    expect(started.pool.statistics().spares).toBe(0);
  });

  test("leaves nothing behind when it is closed", async () => {
    await using started = await start({}, { size: 2 });
    await started.engine.warm();
    expect(started.processes.processes()).toHaveLength(2);
    await started.pool.close();
    expect(started.processes.processes()).toEqual([]);
  });
});

async function start(options: ClaudeOptions = {}, poolOptions: WarmPoolOptions = {}) {
  const agent = await startOfflineAgent(scenario, options);
  const processes = new ProcessManager(join(agent.home, "processes"));
  const pool = new WarmPool({ processes, ...poolOptions });
  return {
    agent,
    processes,
    pool,
    engine: new ClaudeEngine(agent.options, { pool, processes }),
    async [Symbol.asyncDispose](): Promise<void> {
      await pool.close();
      await processes[Symbol.asyncDispose]();
      await agent.close();
    },
  };
}
