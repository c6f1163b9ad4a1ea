import { createHash } from "node:crypto";
import { ownValue } from "../../core/internal.ts";
import type { Fault } from "../scenarios/fault.ts";
import type { Context, Step, Text, ToolCall } from "../scenarios/scenario.ts";

export type ReplyBlock =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "thinking"; readonly thinking: string; readonly signature: string }
  | { readonly type: "tool_use"; readonly id: string; readonly name: string; readonly input: unknown };

/** One response of the model, before it is put on the wire. */
export interface Reply {
  readonly blocks: readonly ReplyBlock[];
  readonly stopReason: Extract<Step, { end: unknown }>["end"] | "tool_use";
}

/** The steps of a script that make up one response, and what goes wrong with it first. */
interface ReplyScript {
  readonly faults: Fault[];
  readonly steps: Exclude<Step, { readonly fail: Fault }>[];
}

/** Cuts a script into responses: a response ends where tools are called, where output is given, or at `end`. */
export function splitIntoReplies(steps: readonly Step[]): readonly ReplyScript[] {
  const replies: ReplyScript[] = [];
  let isOpen = false;
  for (const step of steps) {
    if (!isOpen) replies.push({ faults: [], steps: [] });
    const reply = replies.at(-1)!;
    if ("fail" in step) reply.faults.push(step.fail);
    else reply.steps.push(step);
    isOpen = !("call" in step || "output" in step || "end" in step);
  }
  return replies;
}

/** Writes a response: its texts are filled in, and its calls have ids that tell which alternative they are of. */
export function writeReply(
  script: ReplyScript,
  context: Context,
  mark: { readonly alternative: number; readonly salt: string },
): Reply {
  const blocks: ReplyBlock[] = [];
  let stopReason: Reply["stopReason"] = "end_turn";
  const call = ({ tool, input }: ToolCall): void => {
    const hash = createHash("sha1").update(`${mark.salt}${blocks.length}`).digest("hex").slice(0, 16);
    const id = `toolu_skein${mark.alternative}_${hash}`;
    blocks.push({ type: "tool_use", id, name: tool, input: fillValue(input, context) });
    stopReason = "tool_use";
  };
  const think = (thinking: string): void => {
    blocks.push({ type: "thinking", thinking, signature: createHash("sha256").update(thinking).digest("base64") });
  };
  for (const step of script.steps) {
    if ("say" in step) blocks.push({ type: "text", text: fillText(step.say, context) });
    else if ("think" in step) think(fillText(step.think, context));
    else if ("call" in step) for (const one of [step.call].flat() as readonly ToolCall[]) call(one);
    else if ("end" in step) stopReason = step.end;
    else if (context.tools.includes("StructuredOutput"))
      call({ tool: "StructuredOutput", input: step.output as ToolCall["input"] });
    else blocks.push({ type: "text", text: JSON.stringify(fillValue(step.output, context)) });
  }
  return { blocks, stopReason };
}

export function textReply(text: string): Reply {
  return { blocks: [{ type: "text", text }], stopReason: "end_turn" };
}

/** A script that is over is asked again when a background task ends or a hook speaks: it says its last word again. */
export function lastText(replies: readonly ReplyScript[], context: Context): string {
  const said = replies.flatMap(({ steps }) => steps.flatMap((step) => ("say" in step ? [step.say] : [])));
  return fillText(said.at(-1) ?? "Done.", context);
}

/** Fills in a text: `{{cwd}}`, `{{prompt}}`, `{{result}}` and the captures; what is unknown stays as it is written. */
export function fillText(text: Text, context: Context): string {
  if (typeof text === "function") return text(context);
  const { cwd, prompt, result, captures } = context;
  const values = { ...captures, cwd, prompt, result };
  return text.replaceAll(/\{\{\s*([\w]+)\s*\}\}/g, (whole, name: string) => ownValue(values, name) ?? whole);
}

function fillValue(value: unknown, context: Context): unknown {
  if (typeof value === "string") return fillText(value, context);
  if (Array.isArray(value)) return value.map((item) => fillValue(item, context));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fillValue(item, context)]));
}
