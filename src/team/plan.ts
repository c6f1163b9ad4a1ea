import { z } from "zod";
import { SkeinError } from "../core/internal.ts";

const line = z.string().trim().min(1).max(200);

/** One piece of the work: what is to be done, and by what it is known to be done. */
export const WorkItem = z.strictObject({
  id: z
    .string()
    .regex(/^[a-z0-9][a-z0-9._-]{0,39}$/u)
    .describe("A short name of small letters, digits, dots and dashes, by which other items depend on it"),
  title: line.describe("What is to be done, in a few words"),
  description: z.string().trim().min(1).max(20_000).describe("All that whoever does it has to know"),
  acceptanceCriteria: z.array(line.max(1000)).max(30).default([]).describe("By what it is known to be done"),
  dependencies: z.array(z.string()).max(50).default([]).describe("The ids of the items that have to be done before"),
  priority: z.int().min(1).max(5).default(3).describe("1 is done first where several could be"),
  estimatedEffort: z.enum(["small", "medium", "large"]).default("medium").describe("How much work it is"),
});

export type WorkItem = Readonly<z.infer<typeof WorkItem>>;

const MOST_ITEMS = 50;

/** What a goal is taken apart into. */
export const Plan = z.strictObject({
  items: z.array(WorkItem).min(1).max(MOST_ITEMS).describe("The items, in any order"),
  protect: z
    .array(z.string().min(1).max(500))
    .max(50)
    .default([])
    .describe("Globs of files that no worker may change, beside those that are protected anyway"),
});

export type Plan = Readonly<z.infer<typeof Plan>>;

/** A plan as somebody writes it, with what is left out. */
export type PlanInput = z.input<typeof Plan>;

/** Reads a plan from somewhere else, and checks that it can be done: no two items of one id, no unknown dependency, no circle. */
export function parsePlan(given: unknown, target = "plan"): Plan {
  const { data, error } = Plan.safeParse(given);
  if (!data) throw planError(z.prettifyError(error), target);
  const problem = findPlanProblem(data.items);
  if (problem !== undefined) throw planError(problem, target);
  return data;
}

/** What is wrong with items as a whole, in a sentence; undefined where they can be done. */
export function findPlanProblem(items: readonly WorkItem[]): string | undefined {
  const ids = new Set<string>();
  for (const { id } of items) {
    if (ids.has(id)) return `two items have the id ${id}`;
    ids.add(id);
  }
  for (const { id, dependencies } of items) {
    const unknown = dependencies.find((each) => !ids.has(each));
    if (unknown !== undefined) return `${id} depends on ${unknown}, which there is not`;
  }
  const circle = findCircle(items);
  return circle && `the items depend on each other in a circle: ${circle.join(" → ")}`;
}

/** Items that wait for each other, the first one again at the end; undefined where there are none. */
function findCircle(items: readonly WorkItem[]): readonly string[] | undefined {
  const byId = new Map(items.map((item) => [item.id, item]));
  const cleared = new Set<string>();
  const walk = (id: string, path: readonly string[]): readonly string[] | undefined => {
    if (cleared.has(id)) return undefined;
    if (path.includes(id)) return [...path.slice(path.indexOf(id)), id];
    for (const next of byId.get(id)?.dependencies ?? []) {
      const found = walk(next, [...path, id]);
      if (found) return found;
    }
    cleared.add(id);
    return undefined;
  };
  for (const { id } of items) {
    const found = walk(id, []);
    if (found) return found;
  }
  return undefined;
}

function planError(problem: string, target: string): SkeinError {
  return new SkeinError(`The plan cannot be followed: ${problem}`, {
    kind: "plan_invalid",
    target,
    hint: "Each item has an id of its own, and depends on items of the same plan without a circle",
  });
}
