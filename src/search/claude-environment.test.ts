import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ClaudeEngine, type Engine } from "../engine/index.ts";
import { loadScenario } from "../offline/index.ts";
import { ENVIRONMENT_CONTRACT, startOfflineAgent, type OfflineAgent } from "../testing/index.ts";
import { ClaudeEnvironment } from "./claude-environment.ts";
import { commandReward } from "./rewards/command-rewards.ts";
import { bestOfN } from "./strategies/best-of-n.ts";

const run = promisify(execFile);
let home: string;
let agent: OfflineAgent;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "skein-search-"));
  agent = await startOfflineAgent(await loadScenario("direct"), { allowedTools: ["Bash"] });
});

afterEach(async () => {
  await agent.close();
  await rm(home, { recursive: true, force: true });
});

const bash = (command: string): string => `Bash ${JSON.stringify({ command })}`;

describe("an environment on the real CLI", () => {
  it("explores from a state on branches of their own, takes the best over, and goes on with its memory", async () => {
    await using environment = await ClaudeEnvironment.open(agent.cwd, { engine: agent.engine, workspace: { home } });
    const { transition: first } = await environment.step(bash("echo base > base.txt"));
    const start = await environment.checkpoint("start");
    const before = await hashOf(agent.cwd);

    const tools: string[] = [];
    const result = await bestOfN(environment, {
      from: start,
      watch: { happened: ({ id }, event) => void (event.type === "tool-start" && tools.push(`${id} ${event.tool}`)) },
      prompts: [bash("echo 1 > a.txt"), bash("echo 2 > a.txt; echo WINNER > b.txt"), bash("exit 3")],
      reward: commandReward("test -e b.txt"),
      concurrency: 2,
    });

    const told = await searchEvents(home);
    const counts = ["search-start", "branch-start", "branch-end", "search-end", "run-end"].map(
      (type) => told.filter((event) => event["type"] === type).length,
    );
    expect([told.length, ...counts]).toEqual([10, 1, 3, 3, 1, 1]);
    expect(told[0]).toMatchObject({ kind: "search", strategy: "best-of-n", workspace: environment.workspace.path });
    expect(told.find(({ type, id }) => type === "branch-end" && id === 2)).toMatchObject({
      stateId: result.best?.state.id,
      reward: { value: 1 },
    });
    expect(result.best?.transition?.metadata["searchId"]).toBe(told[0]?.["run"]);
    expect(told.at(-2)).toMatchObject({ best: 2, expansions: 3, stopped: "exhausted" });

    expect(await hashOf(agent.cwd)).toBe(before);
    expect(tools.toSorted()).toEqual(["1 Bash", "2 Bash", "3 Bash"]);
    expect(result.nodes.filter(({ type }) => type === "reached")).toHaveLength(3);
    expect(result.best?.prompt).toContain("WINNER");
    const explored = result.nodes.map(({ transition }) => transition?.conversationId);
    expect(new Set([first.conversationId, ...explored]).size).toBe(4);
    expect(await readdir(join(environment.workspace.home, "branches")).catch(() => [])).toEqual([]);
    if (result.best) await environment.adopt(result.best.state);
    expect(await readFile(join(agent.cwd, "b.txt"), "utf8")).toBe("WINNER\n");
    agent.forget();
    const next = await environment.step(bash("cat a.txt"));
    expect(next.transition.execution.response).toContain("2");
    expect(JSON.stringify(agent.requests)).toContain("WINNER");
    expect(next.transition.after.sessionId).toBe(result.best?.transition?.after.sessionId);
  });

  it.each(ENVIRONMENT_CONTRACT.map((each) => [each.name, each] as const))("%s", async (_, { check }) => {
    await using environment = await ClaudeEnvironment.open(agent.cwd, { engine: agent.engine, workspace: { home } });
    await check({ environment, prompts: [bash("echo 1 > one"), bash("echo 2 > two")], look: () => hashOf(agent.cwd) });
  });

  it("recalls checkpoints of an earlier process by name and by id, with the turn that led to them", async () => {
    const setup = { engine: agent.engine, workspace: { home } };
    const earlier = await ClaudeEnvironment.open(agent.cwd, setup);
    const empty = await earlier.checkpoint("empty");
    const { state: stepped, transition } = await earlier.step(bash("echo base > base.txt"));
    await earlier.checkpoint("stepped");
    await writeFile(join(agent.cwd, "by-hand.txt"), "mine");
    const edited = await earlier.checkpoint("edited");
    await earlier.close();

    await using environment = await ClaudeEnvironment.open(agent.cwd, setup);
    for (const [names, id] of [
      [["stepped", stepped.id, stepped.id.slice(0, 12)], stepped.id],
      [["edited", edited.id], edited.id],
    ] as const) {
      for (const name of names) {
        const recalled = await environment.recall(name);
        expect([recalled?.state.id, recalled?.transition.id]).toEqual([id, transition.id]);
      }
    }
    for (const name of ["empty", empty.id, "nothing", "HEAD~9", "../x"]) {
      expect(await environment.recall(name)).toBeUndefined();
    }
    const recalled = await environment.recall("stepped");
    if (recalled) await environment.restore(recalled.state);
    expect(await readdir(agent.cwd)).toEqual(["base.txt"]);
    await environment.restore("edited");
    expect((await readdir(agent.cwd)).toSorted()).toEqual(["base.txt", "by-hand.txt"]);
  });

  it("stops a branch at its own money, not at what the turns before it cost", async () => {
    await using environment = await ClaudeEnvironment.open(agent.cwd, { engine: agent.engine, workspace: { home } });
    const { state, transition } = await environment.step(bash("echo base > base.txt"));
    const half = transition.execution.costUsd / 2;
    const cheap = await environment.exploreFrom(state, bash("echo 1 > one"), { maxCostUsd: half });
    expect(cheap.transition.execution).toMatchObject({ outcome: "completed" });
    const dear = await environment.exploreFrom(state, [1, 2, 3, 4].map((each) => bash(`echo ${each}`)).join("\n"), {
      maxCostUsd: cheap.transition.execution.costUsd,
    });
    expect(dear.transition.execution).toMatchObject({ outcome: "failed", error: { kind: "budget" } });
  });

  it("answers from the record where it is asked to", async () => {
    await using environment = await ClaudeEnvironment.open(agent.cwd, {
      engine: agent.engine,
      workspace: { home },
      reuse: "always",
    });
    const start = await environment.checkpoint();
    const first = await environment.exploreFrom(start, bash("echo x > x.txt"));
    agent.forget();
    const second = await environment.exploreFrom(start, bash("echo x > x.txt"));

    expect(second.state.id).toBe(first.state.id);
    expect(agent.requests).toEqual([]);
  });

  it("answers from the record only for an engine that is set the same way", async () => {
    const explore = async (engine: Engine): Promise<readonly unknown[]> => {
      await using environment = await ClaudeEnvironment.open(agent.cwd, {
        engine,
        workspace: { home },
        reuse: "always",
      });
      const start = await environment.state("start").catch(() => environment.checkpoint("start"));
      const { isReused = false, transition } = await environment.exploreFrom(start, bash("echo x > x.txt"));
      return [isReused, transition.execution.model];
    };
    const another = { ...agent.options, model: "claude-haiku-5-5" };
    expect(await explore(agent.engine)).toEqual([false, "claude-sonnet-5-5"]);
    expect(await explore(new ClaudeEngine(another))).toEqual([false, "claude-haiku-5-5"]);
    expect(await explore(new ClaudeEngine(another))).toEqual([true, "claude-haiku-5-5"]);
    expect(await explore(new ClaudeEngine(agent.options))).toEqual([true, "claude-sonnet-5-5"]);
  });
});

async function hashOf(directory: string): Promise<string> {
  const { stdout } = await run("sh", ["-c", "find . -type f | sort | xargs sha256sum; find . | sort"], {
    cwd: directory,
  });
  return stdout;
}

/** The journal of the one search in a data folder. */
async function searchEvents(folder: string): Promise<readonly Record<string, unknown>[]> {
  const names = await readdir(join(folder, "events"));
  const texts = await Promise.all(names.map((name) => readFile(join(folder, "events", name), "utf8")));
  const text = texts.find((each) => each.includes('"kind":"search"')) ?? "";
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}
