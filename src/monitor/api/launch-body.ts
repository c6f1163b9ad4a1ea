import { realpath, stat } from "node:fs/promises";
import { isAbsolute } from "node:path";
import { z } from "zod";
import { isInside, SkeinError } from "../../core/internal.ts";
import { PERMISSION_MODES } from "../../engine/internal.ts";
import { requireDirectory } from "./workspaces/open-workspaces.ts";
import type { ApiContext } from "./route.ts";
import { notFound } from "./not-found.ts";
import { stateName } from "./workspaces/state-routes.ts";

/** No name of a model begins as a flag does. */
const Model = z.string().regex(/^[A-Za-z0-9][\w.:@/[\]-]{0,199}$/u, "it is no name of a model");

const amount = z.number().positive();
const count = z.int().positive();
const seconds = z.number().positive().max(2_147_483);

/** Where and how an agent is run, for a turn and for a search. */
export const agentFields = {
  workspace: z.string().optional().describe("The workspace's id, as the list of them has it"),
  directory: z
    .string()
    .max(4096)
    .optional()
    .describe("In place of a workspace: the absolute path of a directory that there is; links are followed"),
  model: Model.optional().describe("The model to use"),
  permission_mode: z
    .enum(PERMISSION_MODES)
    .optional()
    .describe(
      "How calls are decided that no rule allows: as is configured where it is left out; `bypassPermissions` needs a server with --allow-commands",
    ),
  ask: z
    .enum(["terminal", "remote"])
    .default("terminal")
    .describe(
      "`remote`: calls that no rule allows wait at `/api/questions`, which needs a server with --allow-commands; they are denied otherwise",
    ),
  offline: z
    .string()
    .regex(/^\w+$/u, "it is no name of a built-in scenario")
    .optional()
    .describe("The embedded model instead of the API, with this built-in scenario"),
  max_cost_usd: amount.optional().describe("Spending limit"),
  timeout: seconds.optional().describe("Time limit, in seconds"),
};

const PromptText = z
  .string()
  .min(1)
  .max(100_000)
  .refine((text) => !text.includes("\0"), "it holds a NUL character");

export const turnFields = {
  prompt: PromptText.describe("What the agent should do"),
  continue: z.boolean().default(false).describe("Whether it goes on with the conversation at the directory's head"),
  from: stateName.optional().describe("The state or conversation to go on with, which must be the directory's head"),
  max_responses: count.optional().describe("Limit on model responses"),
  max_conversation_cost_usd: amount.optional().describe("Spending limit for the conversation, earlier turns included"),
  idle_timeout: seconds.optional().describe("Stop after this long without a new token while no tool runs, in seconds"),
  undo_on_failure: z.boolean().default(false).describe("Whether a turn that fails is taken back"),
};

export const searchFields = {
  prompt: z.array(PromptText).min(1).max(50).describe("The prompts to try"),
  from: stateName.optional().describe("The state to start from; the files as they are where it is left out"),
  strategy: z.enum(["best-of-n", "beam", "mcts", "refine"]).default("best-of-n").describe("The search strategy"),
  reward: z
    .string()
    .min(1)
    .max(10_000)
    .optional()
    .describe("A command that is run in each branch, as you; it needs a server with --allow-commands"),
  reward_format: z
    .enum(["exit-code", "tap", "junit", "vitest-json", "jest-json", "pytest"])
    .optional()
    .describe("How the reward is read from what the command prints"),
  threshold: z.number().optional().describe("Stop at the first reward at least this high"),
  concurrency: count.max(64).optional().describe("How many branches run at once"),
  max_tokens: count.optional().describe("Token limit for all branches together"),
  n: count.optional().describe("best-of-n: how often each prompt is tried"),
  depth: count.optional().describe("beam, mcts: turns in a path"),
  width: count.optional().describe("beam: branches to continue from in each round"),
  iterations: count.optional().describe("mcts: visits to the tree"),
  rounds: count.optional().describe("refine: limit on prompts"),
  fresh: z.boolean().default(false).describe("Whether all is run again, even what an earlier search explored"),
  adopt: z.boolean().default(false).describe("Whether the best branch is brought into the directory at the end"),
};

const Glob = z.string().min(1).max(500);

/** What a team is to do, and what it is held to from its beginning to its end. */
export const teamFields = {
  goal: PromptText.refine((text) => text.trim() !== "", "it is empty").describe("What the team should bring about"),
  gate: z
    .array(z.string().min(1).max(10_000))
    .max(20)
    .default([])
    .describe(
      "Commands that have to succeed before an item is accepted, within the workers' bounds; they need a server with --allow-commands",
    ),
  protect: z.array(Glob).max(50).default([]).describe("Globs of files that no worker may change"),
  approve_plan: z
    .boolean()
    .default(false)
    .describe("Whether a person approves the plan before anything is worked on; with `ask` remote"),
  max_rounds: count.max(100).optional().describe("How often an attempt at an item is sent back before it has failed"),
  max_attempts: count.max(100).optional().describe("How often an item is begun anew"),
};

/** What a team that goes on may have otherwise. */
export const teamLimits = {
  workers: count.max(64).optional().describe("How many items are worked on at once"),
  max_iterations: count.optional().describe("Limit on the workers' turns in all"),
  max_tokens: count.optional().describe("Token limit for the whole team"),
  max_responses: count.optional().describe("Limit on model responses in each turn"),
  manager_model: Model.optional().describe("The manager's model, where it is another than the workers'"),
  ask_timeout: seconds.optional().describe("How long a question waits for its answer, in seconds"),
};

type Value = string | number | boolean | readonly string[] | undefined;

/** The fields as the command's flags, which have the same names: each value in one word with its flag, so that none is taken for another. */
export function toFlags(given: Readonly<Record<string, Value>>): readonly string[] {
  return Object.entries(given).flatMap(([field, value]) => {
    const flag = `--${field.replaceAll("_", "-")}`;
    if (value === undefined || value === false) return [];
    if (value === true) return [flag];
    return [value].flat().map((one) => `${flag}=${one}`);
  });
}

/** What whoever has the token can do is less than what a shell can, unless the owner of the server said otherwise. */
export function requireAllowed({ allowCommands }: ApiContext, target: string, isWanted: boolean): void {
  if (!isWanted || allowCommands) return;
  throw new SkeinError(`This server takes no ${target} from others: it would run commands outside the sandbox`, {
    kind: "policy",
    target,
    hint: "Start it with `allowCommands` if whoever has its token may run anything as you",
  });
}

/** The directory that a run is to work in: of a workspace that there is, or one that was named. */
export async function placeOf(
  { workspace: id, directory }: { readonly workspace?: string | undefined; readonly directory?: string | undefined },
  { workspaces, dataHome }: ApiContext,
): Promise<string> {
  if ((id === undefined) === (directory === undefined)) {
    throw new SkeinError("Give either workspace or directory", { kind: "usage", target: "directory" });
  }
  if (directory !== undefined) return await readDirectory(directory, await realpath(dataHome));
  const found = (await workspaces.list()).find((one) => one.id === id);
  if (!found) throw notFound("workspace", id ?? "");
  await requireDirectory(found.store.workspace);
  return found.store.workspace;
}

async function readDirectory(given: string, dataHome: string): Promise<string> {
  const refuse = (why: string): SkeinError =>
    new SkeinError(`directory: ${why}`, { kind: "usage", target: "directory", hint: "Name a directory that there is" });
  if (!isAbsolute(given) || given.includes("\0")) throw refuse("it is no absolute path");
  const path = await realpath(given).catch(() => undefined);
  if (path === undefined || !(await stat(path)).isDirectory()) throw refuse("there is no such directory");
  if (isInside(path, dataHome)) throw refuse("it lies in Skein's data folder");
  return path;
}
