import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { defineScenario } from "../../offline/index.ts";
import { startOfflineAgent } from "../../testing/index.ts";
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

  test("gives model and permission mode to the spare it claims", async () => {
    await using started = await start();
    const { engine, agent } = started;
    await engine.warm();
    const result = await engine.execute(claudePrompt("Write"), { permissionMode: "plan", model: "claude-opus-5-5" });
    expect(result).toMatchObject({ model: "claude-opus-5-5" });
    expect(agent.requests[0]?.model).toBe("claude-opus-5-5");
    expect(result.permissionDenials).toMatchObject([{ tool: "Write" }]);
  });

  test("starts cold where no spare fits", async () => {
    await using started = await start();
    const { engine, pool } = started;
    await engine.warm();
    expect(await engine.execute(claudePrompt("Where"), { disallowedTools: ["Bash"] })).toMatchObject({
      isError: false,
    });
    expect(pool.statistics()).toMatchObject({ hits: 0, misses: 1 });
  });

  test("starts cold where a spare refuses the folder", async () => {
    await using started = await start({ settingSources: ["project"] });
    const { engine, pool, agent } = started;
    await mkdir(join(agent.cwd, ".claude"));
    await writeFile(join(agent.cwd, ".claude", "settings.json"), JSON.stringify({ env: { SOMETHING: "1" } }));
    await engine.warm();
    expect(await engine.execute(claudePrompt("Where"))).toMatchObject({ text: agent.cwd, isError: false });
    expect(pool.statistics()).toMatchObject({ hits: 0, refusals: 1 });
  });

  test("starts cold where the spare has died", async () => {
    await using started = await start();
    const { engine, pool, processes } = started;
    await engine.warm();
    process.kill(processes.processes()[0]?.pid ?? 0, "SIGKILL");
    expect(await engine.execute(claudePrompt("Where"))).toMatchObject({ isError: false });
    expect(pool.statistics().hits).toBe(0);
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
