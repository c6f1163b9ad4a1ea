import { z } from "zod";
import { turnFlags } from "../turn/agent-flags.ts";
import { createFlag } from "../make-missing.ts";
import { cwdFlag } from "../open-workspace.ts";
import { usageError } from "../../protocol/index.ts";
import { countFlag, amountFlag, secondsFlag, switchFlag, textFlag, listFlag } from "../common-flags.ts";

const STRATEGIES = ["best-of-n", "beam", "mcts", "refine", "htn"] as const;

const REWARD_FORMATS = ["exit-code", "tap", "junit", "vitest-json", "jest-json", "pytest"] as const;

const count = z.coerce.number().int().positive();

export const exploreFlags = z.object({
  cwd: cwdFlag,
  create: createFlag,
  from: textFlag("state", "The state to start from (default: the files as they are)"),
  prompt: listFlag("prompt", "A prompt to try; repeat it for several"),
  strategy: z.enum(STRATEGIES).default("best-of-n").meta({ label: "name", description: "The search strategy" }),
  reward: textFlag("command", "A command to run in each branch: reward 1 if it succeeds, else 0"),
  rewardFormat: z.enum(REWARD_FORMATS).default("exit-code").meta({
    label: "format",
    description: "Read a test report on its standard output: the reward is the share of tests that pass",
  }),
  threshold: z.coerce
    .number()
    .optional()
    .meta({ label: "reward", description: "Stop at the first reward at least this high" }),
  concurrency: count.default(2).meta({ label: "count", description: "How many branches run at once" }),
  maxCostUsd: amountFlag("Spending limit for all branches together").meta({ setting: "budget.maxCostUsd" }),
  maxTokens: countFlag("Token limit for all branches together"),
  maxResponses: countFlag("Limit on model responses in each turn (default: 500)").meta({
    setting: "budget.maxResponses",
  }),
  timeout: secondsFlag("Time limit for all branches together").meta({ setting: "budget.timeoutSeconds" }),
  n: countFlag("best-of-n: how often each prompt is tried (default: 1)"),
  depth: countFlag("beam, mcts: turns in a path (default: 2)"),
  width: countFlag("beam: branches to continue from in each round (default: 2)"),
  iterations: countFlag("mcts: visits to the tree (default: 10)"),
  rollout: countFlag("mcts: random turns below each new branch"),
  seed: z.coerce
    .number()
    .int()
    .optional()
    .meta({ label: "number", description: "mcts: the seed of the random choices" }),
  feedback: textFlag(
    "prompt",
    "refine: the prompt after a reward that is too low; {output} is what the reward command printed",
  ),
  rounds: countFlag("refine: limit on prompts (default: 5)"),
  tasks: textFlag("file", "htn: the task network, as JSON"),
  attempts: countFlag("htn: how often a prompt is tried (default: 3)"),
  carry: listFlag(
    "pattern",
    'Also give branches files that states leave out, such as .env or "data/*.csv"; repeat it for several',
  ),
  adopt: switchFlag("Bring the best branch into the workspace at the end"),
  fresh: switchFlag("Run everything again, even if an earlier search explored it"),
  reuse: switchFlag(
    "Take turns that any earlier search ran from the same state with the same prompt and settings, instead of running them",
  ),
  ...turnFlags,
});

export type ExploreFlags = z.infer<typeof exploreFlags>;

/** The flags that one strategy alone, or a few, can make use of. */
const OWN_FLAGS = {
  "best-of-n": ["n"],
  beam: ["depth", "width"],
  mcts: ["depth", "iterations", "rollout", "seed"],
  refine: ["feedback", "rounds"],
  htn: ["tasks", "attempts", "depth"],
} as const satisfies Record<ExploreFlags["strategy"], readonly (keyof ExploreFlags)[]>;

/** Says what the strategy lacks, and what it has no use for: nothing that was typed is passed over in silence. */
export function checkExploreFlags(given: ExploreFlags): void {
  const { strategy, prompt, reward, n = 1 } = given;
  const own: readonly string[] = OWN_FLAGS[strategy];
  for (const flag of new Set(Object.values(OWN_FLAGS).flat())) {
    if (given[flag] !== undefined && !own.includes(flag)) refuse(`--${flag}`, `${strategy} does not use --${flag}`);
  }
  if (strategy === "htn") checkHtn(given);
  else if (prompt.length === 0) refuse("--prompt", "There is no prompt to try: give --prompt at least once");
  if (strategy === "refine" && prompt.length > 1)
    refuse("--prompt", "refine starts with one prompt; later prompts come from --feedback");
  const needsReward = strategy === "beam" || strategy === "mcts" || strategy === "refine";
  if (needsReward && reward === undefined) refuse("--reward", `${strategy} needs rewards: give --reward a command`);
  if (given.reuse && given.fresh)
    refuse("--fresh", "--reuse and --fresh cannot be combined: one takes known turns, the other runs all anew");
  if (given.reuse && n > 1) refuse("--n", "--reuse and --n cannot be combined: each try would be the same known turn");
  if (given.mount.length > 0 && given.from !== undefined)
    refuse("--from", "--mount and --from cannot be combined: the state is as it was recorded, without the mount");
  if (reward !== undefined) return;
  if (given.rewardFormat !== "exit-code") refuse("--reward-format", "--reward-format needs --reward");
  if (given.threshold !== undefined) refuse("--threshold", "--threshold needs --reward");
  if (given.adopt && strategy !== "htn") refuse("--adopt", "--adopt needs --reward: without it no branch is the best");
}

function checkHtn({ tasks, prompt }: ExploreFlags): void {
  if (tasks === undefined) refuse("--tasks", "htn needs a task network: give --tasks a file");
  if (prompt.length > 0) refuse("--prompt", "htn takes its prompts from --tasks");
}

function refuse(target: string, message: string): never {
  throw usageError("explore", message, { target });
}
