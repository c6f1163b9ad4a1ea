import { z } from "zod";
import { defineSlice, type SliceDefinition } from "./define-slice.ts";
import { promptExecutedSchema, promptRenderedSchema, toolInvokedSchema } from "./prompt-events.ts";
import type { PromptEvents } from "./session-event.ts";
import { append } from "./reducers.ts";

/** An event of an evaluation. */
export type PromptEvent = PromptEvents[keyof PromptEvents];

/** Every event of the evaluations that used a session; each session has this slice from its beginning. */
export const eventLog: SliceDefinition<PromptEvent> = defineSlice({
  name: "events",
  policy: "log",
  schema: z.union([promptRenderedSchema, toolInvokedSchema, promptExecutedSchema]),
  on: {
    "prompt-rendered": append((event): PromptEvent => event),
    "tool-invoked": append((event): PromptEvent => event),
    "prompt-executed": append((event): PromptEvent => event),
  },
});
