import { z } from "zod";
import { BranchData } from "./explore-data.ts";

const id = z.int().describe("The branch's id");
const nodeId = z.int().describe("The branch that the task is at; 0 is where the search began");
const path = z.array(z.string()).describe("The names of the tasks, from the outermost to this one");

function event<Shape extends z.core.$ZodLooseShape>(type: string, meaning: string, shape: Shape) {
  return z.strictObject({ type: z.literal(type).describe("What happened"), ...shape }).describe(meaning);
}

/** The lines of `stream-json` while a search runs. */
export const EXPLORE_EVENTS = [
  event("search-start", "The search begins", {
    strategy: z.string().describe("How it chooses what to try next"),
    from: z.string().describe("The state that it begins at"),
    seed: z.number().describe("What its random choices come from"),
  }),
  event("branch-start", "A branch was asked for and is run", {
    id,
    parent_id: z.int().describe("The branch that it goes on from; 0 is where the search began"),
    depth: z.int().describe("How many branches lie between it and the beginning, itself counted"),
    prompt: z.string().describe("The turn's prompt"),
    attempt: z.int().describe("Which run of this prompt from this state it is, counted from 1"),
  }),
  event("branch-end", "A branch came to its end", { branch: BranchData.describe("What it came to") }),
  event("branch-failed", "A branch failed; the search goes on", { branch: BranchData.describe("What it came to") }),
  event("node-selected", "The strategy goes on from this branch", {
    id,
    depth: z.int().describe("How many branches lie between it and the beginning, itself counted"),
  }),
  event("task-changed", "A task of a network changed", {
    path,
    status: z.enum(["pending", "in_progress", "completed", "failed", "blocked"]).describe("What the task is now"),
    node_id: nodeId,
    reason: z.string().optional().describe("Why, where there is something to say"),
  }),
  event("method-selected", "A task is taken apart by this method: the first time, or after another one failed", {
    path,
    method: z.string().describe("The method's name"),
    node_id: nodeId,
    is_replan: z.boolean().describe("Whether another method has failed before"),
  }),
  event("generation-end", "A generation is complete", {
    generation: z.int().describe("Which one it is"),
    survivors: z.array(z.int()).describe("The branches that survive it, the best first"),
  }),
];
