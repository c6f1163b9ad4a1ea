import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { loadScenario } from "../offline/index.ts";
import {
  createFakeClock,
  createMemoryEnvironment,
  startOfflineAgent,
  type MemoryState,
  type MemoryStep,
} from "../testing/index.ts";
import { ClaudeEnvironment } from "./claude-environment.ts";
import { GymEnvironment, type GymOptions } from "./gym-environment.ts";
import { commandReward } from "./rewards/command-rewards.ts";

type Options = GymOptions<MemoryState<number>, MemoryStep, number>;

/** A number to be brought to 10, by adding to it; a step costs a dollar. */
function counting(options: Partial<Options> = {}): GymEnvironment<MemoryState<number>, MemoryStep, number> {
  const environment = createMemoryEnvironment<number>({ start: 0, step: (world, prompt) => world + Number(prompt) });
  return new GymEnvironment(environment, {
    observe: ({ state }) => state.world,
    reward: ({ state }) => -Math.abs(10 - state.world),
    isDone: ({ state }) => state.world === 10,
    ...options,
  });
}

describe("an environment of Gymnasium's shape", () => {
  it("resets, steps with observation, reward and ends, and is terminated when it is done", async () => {
    await using gym = counting();
    const [seen, info] = await gym.reset({ seed: 7 });
    expect([seen, info.steps, info.costUsd, info.seed]).toEqual([0, 0, 0, 7]);

    const first = await gym.step("4");
    expect(first.slice(0, 4)).toEqual([4, -6, false, false]);
    expect(first[4]).toMatchObject({ steps: 1, costUsd: 1, seed: 7, isError: false, rewardParts: {} });
    expect((await gym.step("6")).slice(0, 4)).toEqual([10, -0, true, false]);
    await expect(gym.step("1")).rejects.toMatchObject({ kind: "usage" });
    expect((await gym.reset())[0]).toBe(0);
    expect((await gym.step("1"))[0]).toBe(1);
  });

  it("is truncated by steps, by money and by time", async () => {
    const clock = createFakeClock();
    const cases = [
      counting({ limits: { maxSteps: 2 } }),
      counting({ limits: { maxCostUsd: 2 } }),
      counting({ limits: { maxDurationMs: 1000 }, clock }),
    ];
    for (const gym of cases) {
      await gym.reset();
      expect((await gym.step("1")).slice(2, 4)).toEqual([false, false]);
      clock.advance(1000);
      expect((await gym.step("1")).slice(2, 4)).toEqual([false, true]);
      await expect(gym.step("1")).rejects.toMatchObject({ kind: "usage" });
    }
  });

  it("goes back to a snapshot with what was used up by then, also after the end", async () => {
    await using gym = counting({ limits: { maxSteps: 3 } });
    await gym.reset();
    await gym.step("3");
    const snapshot = gym.snapshot();
    expect((await gym.step("7"))[2]).toBe(true);
    gym.restore(snapshot);
    expect((await gym.step("1")).slice(0, 4)).toEqual([4, -6, false, false]);
    expect((await gym.step("1"))[3]).toBe(true);
  });

  it("begins where it is told to, and says so where there is no episode", async () => {
    await using gym = counting();
    expect(() => gym.snapshot()).toThrow("call reset()");
    expect((await gym.reset({ options: { from: { world: 8 } } }))[0]).toBe(8);
    expect((await gym.step("2"))[2]).toBe(true);
  });
});

it("runs the real CLI: the answer, files and state are seen, and the directory is left alone", async () => {
  const home = await mkdtemp(join(tmpdir(), "skein-gym-"));
  onTestFinished(() => rm(home, { recursive: true, force: true, maxRetries: 10 }));
  await using agent = await startOfflineAgent(await loadScenario("direct"), { allowedTools: ["Bash"] });
  const environment = await ClaudeEnvironment.open(agent.cwd, { engine: agent.engine, workspace: { home } });
  await using gym = new GymEnvironment(environment, {
    reward: commandReward("test -e a.txt && test -e b.txt"),
    isDone: ({ reward }) => reward?.value === 1,
  });
  const [start] = await gym.reset();
  expect(start).toMatchObject({ text: "", filesChanged: [] });

  const [seen, reward, terminated, truncated, info] = await gym.step('Bash {"command":"touch a.txt"}');
  expect([seen.filesChanged, reward, terminated, truncated]).toEqual([
    [{ type: "created", path: "a.txt" }],
    0,
    false,
    false,
  ]);
  expect([seen.stateId, seen.text.length > 0]).toEqual([info.stateKey, true]);
  const last = await gym.step('Bash {"command":"touch b.txt"}');
  expect(last.slice(1, 4)).toEqual([1, true, false]);
  expect((await readdir(agent.cwd)).filter((name) => name !== ".claude")).toEqual([]);
});
