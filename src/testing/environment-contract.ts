import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import type { Environment, Exploration, StepOutcome } from "../search/internal.ts";
import { contractOf } from "./contract.ts";

interface EnvironmentBench<State, Step extends StepOutcome> {
  readonly environment: Environment<State, Step>;
  /** Two prompts that lead to different states, and cost something. */
  readonly prompts: readonly [string, string];
  /** What can be told apart of the present state: the files of a directory, for example. */
  look(): Promise<unknown>;
}

type EnvironmentCheck = <State, Step extends StepOutcome>(bench: EnvironmentBench<State, Step>) => Promise<void>;

/** What every environment keeps to. */
export const ENVIRONMENT_CONTRACT = contractOf<EnvironmentCheck>({
  async "gives the same state the same key, and others others"({ environment, prompts: [first, second] }) {
    const start = await environment.checkpoint();
    const one = await environment.exploreFrom(start, first);
    const other = await environment.exploreFrom(start, second);
    const keys = [start, one.state, other.state].map((state) => environment.keyOf(state));
    strictEqual(new Set(keys).size, 3);
    strictEqual(environment.keyOf(start), keys[0]);
    ok(keys.every((key) => key.length > 0));
  },
  async "explores without touching the present state, several at once too"({
    environment,
    prompts: [first, second],
    look,
  }) {
    const start = await environment.checkpoint();
    const before = await look();
    await Promise.all([first, second, first].map((prompt) => environment.exploreFrom(start, prompt)));
    deepStrictEqual(await look(), before);
  },
  async "tells what a step took"({ environment, prompts: [prompt] }) {
    const { execution } = (await environment.exploreFrom(await environment.checkpoint(), prompt)).transition;
    strictEqual(execution.isError, false);
    ok(execution.costUsd > 0 && execution.responses > 0 && execution.durationMs >= 0);
  },
  async "restores a state that was explored, and the one before it"({ environment, prompts: [prompt], look }) {
    const start = await environment.checkpoint("start");
    const before = await look();
    const { state } = await environment.exploreFrom(start, prompt);
    await environment.restore(state);
    const after = await look();
    ok(JSON.stringify(after) !== JSON.stringify(before));
    await environment.restore(start);
    deepStrictEqual(await look(), before);
    await environment.restore(state);
    deepStrictEqual(await look(), after);
  },
  async "goes on from a state that was explored"({ environment, prompts: [first, second] }) {
    const { state } = await environment.exploreFrom(await environment.checkpoint(), first);
    const next = await environment.exploreFrom(state, second);
    ok(environment.keyOf(next.state) !== environment.keyOf(state));
    strictEqual(next.transition.execution.isError, false);
  },
  async "asks the judge about the exploration, and passes on what it says"({ environment, prompts: [prompt] }) {
    const asked: Exploration<unknown, unknown>[] = [];
    const explored = await environment.exploreFrom(await environment.checkpoint(), prompt, {
      async judge(exploration) {
        asked.push(exploration);
        return { value: 0.5, parts: { half: 0.5 } };
      },
    });
    deepStrictEqual(explored.reward, { value: 0.5, parts: { half: 0.5 } });
    strictEqual(asked.length, 1);
    strictEqual(asked[0]?.transition, explored.transition);
  },
  async "explores nothing when the signal is aborted already"({ environment, prompts: [prompt] }) {
    const start = await environment.checkpoint();
    await rejects(environment.exploreFrom(start, prompt, { signal: AbortSignal.abort(new Error("enough")) }));
  },
  async "recalls an exploration by its key, and knows nothing of other keys"({ environment, prompts: [prompt] }) {
    if (!environment.recall) return;
    const { state, transition } = await environment.exploreFrom(await environment.checkpoint(), prompt);
    const key = environment.keyOf(state);
    const recalled = await environment.recall(key);
    ok(recalled);
    strictEqual(environment.keyOf(recalled.state), key);
    strictEqual(recalled.transition.execution.costUsd, transition.execution.costUsd);
    strictEqual(await environment.recall("0123456789012345678901234567890123456789"), undefined);
  },
});
