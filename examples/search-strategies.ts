import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { BudgetTracker } from "skein/core";
import {
  beamSearch,
  bestOfN,
  combineRewards,
  costReward,
  evolve,
  htn,
  mcts,
  refine,
  type LeafTask,
} from "skein/search";
import { createMemoryEnvironment, type MemoryState, type MemoryStep } from "skein/testing";

// A world without files, so that this runs in a moment: a number to be brought to 24. On a workspace it is
// `await ClaudeEnvironment.open("./my-project")`, and everything below stays as it is.
await using environment = createMemoryEnvironment<number>({
  start: 1,
  step: (world, prompt) => (prompt === "double" ? world * 2 : world + Number(prompt.replace("add ", ""))),
  costs: () => [0.02, 0.03],
});
const from = await environment.checkpoint("start");
const near = ({ state }: { readonly state: MemoryState<number> }): number => 1 - Math.abs(24 - state.world) / 24;
const expand = (): readonly string[] => ["add 1", "add 2", "double"];

// Several prompts from one state, the best one kept.
const prompts = ["add 5", "add 20", "double"];
const tried = await bestOfN(environment, { from, prompts, reward: near, concurrency: 3 });
deepStrictEqual([tried.best?.prompt, tried.expansions, tried.costUsd], ["add 20", 3, 0.15]);

// Level by level, with a reward of several parts, for as long as the money lasts.
const reward = combineRewards({ near: { weight: 1, reward: near }, cost: { weight: 0.1, reward: costReward() } });
const budget = new BudgetTracker({ maxCostUsd: 1 });
const beam = await beamSearch(environment, { from, expand, width: 3, depth: 5, reward, budget });
deepStrictEqual([beam.stopped, beam.costUsd], ["budget", 1]);

// Down the tree where earlier visits paid, until it is good enough.
const searched = await mcts(environment, {
  from,
  expand,
  depth: 6,
  iterations: 500,
  reward: near,
  threshold: 1,
  seed: 7,
});
deepStrictEqual([searched.stopped, searched.best?.state.world], ["threshold", 24]);

// Again with feedback, until it is accepted.
const refined = await refine(environment, {
  from,
  prompt: "double",
  feedback: ({ state: { world } }) => (world === 24 ? undefined : world < 12 ? "double" : `add ${24 - world}`),
});
deepStrictEqual([refined.stopped, refined.best?.depth], ["solved", 5]);

// By a plan that knows another way when one does not work.
const leaf = (name: string, result: number): LeafTask<MemoryState<number>, MemoryStep> => ({
  type: "leaf",
  name,
  prompt: name,
  isDone: ({ state }) => state.world === result,
});
const plan = htn(environment, {
  from,
  task: {
    type: "compound",
    name: "reach 24",
    methods: [
      { name: "by halves", tasks: [leaf("add 11", 12), leaf("add 11", 24)] },
      { name: "by doubling", when: ({ state }) => state.world === 12, tasks: [leaf("double", 24)] },
    ],
  },
});
const methods: string[] = [];
for await (const event of plan) if (event.type === "method-selected") methods.push(event.method);
deepStrictEqual(methods, ["by halves", "by doubling"]);
strictEqual((await plan).best?.state.world, 24);

// A population whose better members get children.
const evolved = await evolve(environment, {
  from,
  prompts: ["add 3", "add 4", "double"],
  mutate: (_, random) => `add ${random.below(9) - 2}`,
  generations: 8,
  reward: near,
  seed: 1,
});
ok((evolved.best?.reward?.value ?? 0) > 0.9);
