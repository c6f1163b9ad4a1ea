import { z } from "zod";
import { WorkItem } from "./plan.ts";

const sentences = z.array(z.string().min(1).max(4000)).max(30);

/** What a review of an item's evidence came to. */
export const Verdict = z.strictObject({
  approved: z.boolean().describe("Whether the item is done as its acceptance criteria ask"),
  issues: sentences.default([]).describe("What is wrong, each in a sentence; none where it is approved"),
  requiredChanges: sentences.default([]).describe("What has to be done before it can be approved"),
});

export type Verdict = Readonly<z.infer<typeof Verdict>>;

/** What becomes of an item that was not approved in as many rounds as it has. */
export const Remedy = z.strictObject({
  action: z
    .enum(["retry", "reassign", "replan", "done", "skip", "escalate"])
    .describe(
      "`retry`: once more from the beginning, with another approach; `reassign`: another worker; `replan`: other items in its place; `done`: the files are as the item asks for already, so that nothing has to be changed; `skip`: leave it out, where nothing depends on it; `escalate`: ask a person",
    ),
  reason: z.string().max(4000).describe("Why, in a sentence"),
  approach: z.string().max(10_000).default("").describe("With retry and reassign: what to do differently"),
  items: z.array(WorkItem).max(10).default([]).describe("With replan: the items that take its place"),
});

export type Remedy = Readonly<z.infer<typeof Remedy>>;
