import { ownValue } from "../../core/index.ts";
import type { Fault } from "../scenarios/fault.ts";
import type { Context, Step, StopReason, Text } from "../scenarios/scenario.ts";

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

/** Fills in a text: `{{cwd}}`, `{{prompt}}`, `{{result}}` and the captures; what is unknown stays as it is written. */
export function fillText(text: Text, context: Context): string {
  if (typeof text === "function") return text(context);
  return text.replaceAll(/\{\{\s*([\w]+)\s*\}\}/g, (whole, name: string) => lookUp(name, context) ?? whole);
}

/** Fills in every string inside a value. */
export function fillValue(value: unknown, context: Context): unknown {
  if (typeof value === "string") return fillText(value, context);
  if (Array.isArray(value)) return value.map((item) => fillValue(item, context));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fillValue(item, context)]));
}

function lookUp(name: string, context: Context): string | undefined {
  if (name === "cwd" || name === "prompt" || name === "result") return context[name];
  return ownValue(context.captures, name);
}
