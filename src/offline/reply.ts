import type { Fault } from "./fault.ts";
import type { Step, StopReason } from "./scenario.ts";

/** A block that the model writes. */
export type ReplyBlock =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "thinking"; readonly thinking: string; readonly signature: string }
  | { readonly type: "tool_use"; readonly id: string; readonly name: string; readonly input: unknown };

/** One response of the model, before it is put on the wire. */
export interface Reply {
  readonly blocks: readonly ReplyBlock[];
  readonly stopReason: StopReason | "tool_use";
}

/** The steps of a script that make up one response, and what goes wrong with it first. */
export interface ReplyScript {
  readonly faults: readonly Fault[];
  readonly steps: readonly Exclude<Step, { readonly fail: Fault }>[];
}

/** Cuts a script into responses: a response ends where tools are called, where output is given, or at `end`. */
export function splitIntoReplies(steps: readonly Step[]): readonly ReplyScript[] {
  const replies: ReplyScript[] = [];
  let faults: Fault[] = [];
  let open: Exclude<Step, { readonly fail: Fault }>[] = [];
  const close = (): void => {
    replies.push({ faults, steps: open });
    faults = [];
    open = [];
  };
  for (const step of steps) {
    if ("fail" in step) {
      faults.push(step.fail);
      continue;
    }
    open.push(step);
    if ("call" in step || "output" in step || "end" in step) close();
  }
  if (open.length > 0 || faults.length > 0) close();
  return replies;
}
