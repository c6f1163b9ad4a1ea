import { z } from "zod";
import { GateResult, Remedy, Verdict, WorkItem, type ItemStatus } from "../../team/internal.ts";

/** How far an item is, or how it ended. */
export const ITEM_STATUSES = [
  "waiting",
  "working",
  "reviewing",
  "integrating",
  "merged",
  "skipped",
  "replaced",
  "escalated",
  "blocked",
] as const satisfies readonly ItemStatus[];

const text = z.string();
const place = { item: text, worker: z.int(), attempt: z.int(), round: z.int() };

function line<Type extends string, Shape extends z.core.$ZodLooseShape>(type: Type, shape: Shape) {
  return z.object({ type: z.literal(type), timestamp: text, ...shape });
}

/** What a team tells of itself in its event journals, as far as its story needs it. */
export const TeamLine = z.discriminatedUnion("type", [
  line("team-start", { isResumed: z.boolean() }),
  line("phase-changed", { phase: text }),
  line("plan-made", { items: z.array(WorkItem), protect: z.array(text) }),
  line("plan-refused", { problem: text }),
  line("item-started", { ...place, title: text, stateId: text }),
  line("worker-finished", {
    ...place,
    stateId: text,
    conversationId: text,
    costUsd: z.number(),
    offline: z.boolean(),
    isReused: z.boolean(),
  }),
  line("evidence-gathered", {
    ...place,
    changes: z.array(z.object({ type: text, path: text, from: text.exactOptional() })).optional(),
    gates: z.array(GateResult),
    violations: z.array(text),
    toolErrors: z.int(),
  }),
  line("verdict", { ...place, by: z.enum(["evidence", "gates", "manager", "person"]), verdict: Verdict }),
  line("item-stuck", { ...place, reason: text }),
  line("remedy-chosen", { item: text, remedy: Remedy }),
  line("item-conflict", { item: text, paths: z.array(text) }),
  line("item-merged", { item: text, stateId: text, wayBack: text }),
  line("item-ended", {
    item: text,
    status: z.enum(["merged", "skipped", "replaced", "escalated", "blocked"]),
    reason: text,
  }),
  line("escalated", { question: z.object({ id: text, kind: z.enum(["plan", "item"]), item: text.optional(), text }) }),
  line("answered", { questionId: text, answer: z.object({ choice: text, message: text.optional() }) }),
  line("team-end", {
    result: z.object({
      outcome: text,
      items: z.array(z.object({ id: text, status: z.enum(ITEM_STATUSES), reason: text.exactOptional() })).optional(),
    }),
  }),
]);

export type TeamLine = Readonly<z.infer<typeof TeamLine>>;

export type LineOf<Type extends TeamLine["type"]> = Extract<TeamLine, { type: Type }>;
