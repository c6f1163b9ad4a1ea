import { createHash } from "node:crypto";
import { join } from "node:path";
import {
  beamSearch,
  bestOfN,
  commandReward,
  htn,
  mcts,
  refine,
  testReward,
  type ClaudeEnvironment,
  type ReachedNode,
  type RewardFunction,
  type Search,
  type SearchOptions,
  type Task,
} from "../../search/internal.ts";
import type { State, Transition } from "../../trace/internal.ts";
import type { TurnFlags } from "../turn/agent-flags.ts";
import type { ExploreFlags } from "./explore-flags.ts";

interface SearchSetup {
  readonly environment: ClaudeEnvironment;
  readonly options: SearchOptions<State, Transition>;
  readonly task?: Task<State, Transition> | undefined;
}

/** A reward that is good enough where no threshold says so. */
const FULL_REWARD = 1;

export function createExploration(given: ExploreFlags, setup: SearchSetup): Search<State, Transition> {
  const { environment, options, task } = setup;
  const { prompt: prompts, depth = 2, attempts = 3 } = given;
  const expand = (): readonly string[] => prompts;
  switch (given.strategy) {
    case "best-of-n":
      return bestOfN(environment, { ...options, prompts, n: given.n ?? 1 });
    case "beam":
      return beamSearch(environment, { ...options, expand, depth, width: given.width ?? 2 });
    case "mcts": {
      const { iterations = 10, rollout = 0 } = given;
      return mcts(environment, { ...options, expand, depth, iterations, rolloutDepth: rollout });
    }
    case "refine": {
      // The feedback decides what is good enough; a threshold beside it would end the search without saying so.
      const { threshold = FULL_REWARD, ...rest } = options;
      const feedback = (node: Node): string | undefined => feedbackOn(node, threshold, given.feedback);
      return refine(environment, { ...rest, prompt: prompts[0] ?? "", feedback, rounds: given.rounds ?? 5 });
    }
    case "htn":
      if (!task) throw new Error("htn without a task");
      return htn(environment, { ...options, task, attempts, ...(given.depth ? { depth: given.depth } : {}) });
  }
}

/** The reward that the flags ask for: the command's exit code, or the report of tests that it prints. */
export function rewardOf({ reward, rewardFormat }: ExploreFlags): RewardFunction<State, Transition> | undefined {
  if (reward === undefined) return undefined;
  return rewardFormat === "exit-code" ? commandReward(reward) : testReward({ command: reward, format: rewardFormat });
}

type Node = ReachedNode<State, Transition>;

const FEEDBACK = "This check does not pass yet:\n\n{output}\n\nFind the cause and fix it.";

/** What is said to an agent whose work is not good enough; nothing where it is. */
function feedbackOn({ reward }: Node, threshold: number, feedback = FEEDBACK): string | undefined {
  if (reward && reward.value >= threshold) return undefined;
  const { command = "", ending = "", output = "" } = reward?.notes ?? {};
  return feedback.replaceAll("{output}", () => `$ ${command}\n${output}\n(${ending})`);
}

/** What of the flags decides what an agent answers. */
export function agentParts(given: TurnFlags, setupText: string | undefined): readonly (readonly unknown[])[] {
  const { offline, model, permissionMode, allowedTools, disallowedTools, allowWorktrees } = given;
  return [
    ["agent", offline ?? null, model ?? null, permissionMode, allowedTools, disallowedTools],
    ...(allowWorktrees ? [["worktrees"]] : []),
    ...(setupText === undefined ? [] : [["setup", setupText]]),
  ];
}

interface Deciding {
  readonly taskText?: string | undefined;
  readonly setupText?: string | undefined;
}

/**
 * Where a search keeps what it has explored. The name comes from all that decides what a branch comes to; how far is searched,
 * how fast and for how much money may differ, so that a search can be taken further.
 */
export function journalPath(home: string, from: string, given: ExploreFlags & Deciding): string {
  const { strategy, prompt, reward, rewardFormat, feedback, taskText, setupText } = given;
  const { carry } = given;
  const deciding = [
    ["search", from, strategy, prompt, feedback ?? null, taskText ?? null],
    ["reward", reward ?? null, rewardFormat],
    ...agentParts(given, setupText),
    ...(carry.length > 0 ? [["carry", ...carry]] : []),
  ];
  const name = createHash("sha256").update(JSON.stringify(deciding)).digest("hex").slice(0, 32);
  return join(home, "searches", `${name}.jsonl`);
}
