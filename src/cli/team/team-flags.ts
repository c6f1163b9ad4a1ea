import { z } from "zod";
import { usageError } from "../../protocol/index.ts";
import {
  amountFlag,
  countFlag,
  listFlag,
  optionalArgument,
  secondsFlag,
  switchFlag,
  textFlag,
} from "../common-flags.ts";
import { createFlag } from "../make-missing.ts";
import { cwdFlag } from "../open-workspace.ts";
import { turnFlags } from "../turn/agent-flags.ts";

export const teamFlags = z.object({
  goal: optionalArgument("What the team should bring about; - reads it from standard input"),
  cwd: cwdFlag,
  create: createFlag,
  workers: countFlag("How many items are worked on at once (default: 1)"),
  gate: listFlag(
    "command",
    "A command that has to succeed before an item is accepted, run in the workers' sandbox; repeat it for several",
  ),
  protect: listFlag("glob", 'Files that no worker may change, such as "*.test.ts"; repeat it for several'),
  plan: textFlag("file", "The plan as JSON, instead of one that the manager makes"),
  approvePlan: switchFlag("Ask a person to approve the plan before anything is worked on"),
  maxRounds: countFlag("How often an attempt at an item is sent back before it has failed (default: 3)"),
  maxAttempts: countFlag("How often an item is begun anew (default: 2)"),
  maxIterations: countFlag("Limit on the workers' turns in all (default: 50)"),
  n: countFlag("Try each round of work this often, and go on with the try that most gates accept (default: 1)"),
  managerModel: textFlag("model", "The model of the manager (default: the workers')"),
  resume: z.string().optional().meta({
    label: "team",
    preset: "last",
    description: "Go on with a team that was cut off or did not come to its end (default: the last one)",
  }),
  maxCostUsd: amountFlag("Spending limit for the whole team").meta({ setting: "budget.maxCostUsd" }),
  maxTokens: countFlag("Token limit for the whole team"),
  maxResponses: countFlag("Limit on model responses in each turn (default: 200)").meta({
    setting: "budget.maxResponses",
  }),
  timeout: secondsFlag("Time limit for the whole team").meta({ setting: "budget.timeoutSeconds" }),
  carry: listFlag(
    "pattern",
    'Also give branches files that states leave out, such as .env or "data/*.csv"; repeat it for several',
  ),
  ...turnFlags,
});

export type TeamFlags = z.infer<typeof teamFlags>;

/** What a team that goes on has from its beginning. */
const OF_THE_BEGINNING = ["plan", "approvePlan", "maxRounds", "maxAttempts"] as const;

/** Refuses what does not go together, before anything is opened. */
export function checkTeamFlags(given: TeamFlags): void {
  const { resume, goal, mount, jsonSchema } = given;
  if (mount.length > 0) refuse("--mount", "A team leaves the directory alone until an item is accepted: use --carry");
  if (jsonSchema !== undefined) refuse("--json-schema", "The manager and the workers answer in shapes of their own");
  if (resume === undefined && goal === undefined)
    refuse("goal", "There is no goal: say what the team should bring about");
  if (resume === undefined) return;
  if (goal !== undefined) refuse("--resume", "A team that goes on has its goal already: leave the goal out");
  const own = OF_THE_BEGINNING.filter((flag) => given[flag] !== undefined && given[flag] !== false);
  const lists = (["gate", "protect"] as const).filter((flag) => given[flag].length > 0);
  const [flag] = [...own, ...lists].map((name) => name.replaceAll(/[A-Z]/gu, (letter) => `-${letter.toLowerCase()}`));
  if (flag !== undefined)
    refuse(`--${flag}`, `--${flag} is what the team began with: it cannot be changed by --resume`);
}

function refuse(target: string, message: string): never {
  throw usageError("team", message, { target });
}
