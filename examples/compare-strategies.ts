// Best-of-4 against MCTS on one task, with a reward of one's own: which finds the better settings, and for how much?
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bestOfN, ClaudeEnvironment, mcts, pathTo, type RewardFunction, type SearchResult } from "skein/search";
import { startOfflineAgent } from "skein/testing";
import type { State, Transition } from "skein/trace";

// What can be tried, and the line that it puts into the settings of a service. The embedded model does just that.
const IDEAS: Readonly<Record<string, string>> = {
  "Log less": "log=off",
  "Add a cache": "cache=on",
  "Batch the requests": "batch=on",
  "Compress the answers": "compress=on",
};
const prompts = Object.keys(IDEAS);
const scenario = {
  name: "tuning",
  rules: prompts.map((prompt) => ({
    when: { prompt: `^${prompt}$` },
    steps: [
      { call: { tool: "Bash", input: { command: `echo ${IDEAS[prompt]} >> service.conf` } } },
      { say: `Set ${IDEAS[prompt]}.` },
    ],
  })),
};

/** How long a request would take with the settings that are in the branch; a cache pays only together with batches. */
const reward: RewardFunction<State, Transition> = async (_, { directory = "." }) => {
  const settings = new Set((await readFile(join(directory, "service.conf"), "utf8")).trim().split("\n"));
  const saved = [
    settings.has("log=off") && 30,
    settings.has("cache=on") && 20,
    settings.has("batch=on") && 15,
    settings.has("compress=on") && -10,
    settings.has("cache=on") && settings.has("batch=on") && 40,
  ];
  const ms = 100 - saved.reduce<number>((sum, each) => sum + (each || 0), 0);
  return { value: 1 - ms / 100, parts: { ms }, notes: { settings: [...settings].join(" ") } };
};

const home = await mkdtemp(join(tmpdir(), "skein-example-"));
try {
  await using offline = await startOfflineAgent(scenario, { allowedTools: ["Bash"] });
  await using environment = await ClaudeEnvironment.open(offline.cwd, { engine: offline.engine, workspace: { home } });
  const from = await environment.checkpoint("start");

  const flat = await bestOfN(environment, { from, prompts, reward, concurrency: 2 });
  const tree = await mcts(environment, {
    from,
    reward,
    expand: () => prompts,
    depth: 2,
    iterations: 16,
    threshold: 0.75,
    seed: 1,
  });

  console.log("strategy   turns  best  cost     path");
  tell("best-of-4", flat);
  tell("mcts", tree);
  assert.deepEqual([flat.expansions, flat.best?.prompt, flat.best?.reward?.parts], [4, "Log less", { ms: 70 }]);
  assert.deepEqual([tree.stopped, tree.best?.reward?.parts], ["threshold", { ms: 25 }]);
  assert.ok(tree.expansions > flat.expansions, "it took more turns to find the pair that helps");
} finally {
  await rm(home, { recursive: true, force: true });
}

function tell(name: string, { best, nodes, expansions, costUsd }: SearchResult<State, Transition>): void {
  const path = best ? pathTo(nodes, best).map(({ prompt }) => prompt) : [];
  const cells = [
    name.padEnd(9),
    String(expansions).padStart(6),
    best?.reward?.value.toFixed(2),
    `$${costUsd.toFixed(4)}`,
  ];
  console.log(`${cells.join("  ")}  ${path.join(" → ")}`);
}
