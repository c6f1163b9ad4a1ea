import { z } from "zod";
import { SkeinError, type SkeinEvent } from "../../core/index.ts";
import { FilesData } from "../turn/files-data.ts";
import { OfferedTool } from "../../protocol/index.ts";

type ToolEnd = Extract<SkeinEvent, { readonly type: "tool-end" }>;

/** One call of a tool, as the envelope tells it. */
export const ToolCallData = z.strictObject({
  handled: z.literal(true),
  /** The tool's own spelling. */
  name: z.string(),
  payload: z.record(z.string(), z.unknown()),
  source: OfferedTool.shape.source,
  server: z.string().nullable(),
  /** What the tool gave back, as text. */
  output: z.string(),
  /** The same in blocks, where it is more than one text, such as an image. */
  content: z.array(z.unknown()).nullable(),
  /** Whether the tool itself says that it failed: it was run all the same. */
  is_error: z.boolean(),
  duration_ms: z.number(),
  /** Paths below the folder that changed. */
  files: FilesData,
  state_id: z.string().nullable(),
  transition_id: z.string().nullable(),
  conversation_id: z.string().nullable(),
});

/** One call of a tool, as the envelope tells it. */
export type ToolCallData = z.infer<typeof ToolCallData>;

/** What is told of the end of a call. */
export function toCallEnd(end: ToolEnd): Pick<ToolCallData, "output" | "content" | "is_error" | "duration_ms"> {
  const { output, isError, durationMs } = end;
  const rest = { is_error: isError, duration_ms: durationMs };
  if (!Array.isArray(output)) return { output: toText(output), content: null, ...rest };
  const blocks: readonly unknown[] = output;
  return { output: blocks.map(blockText).filter(Boolean).join("\n"), content: [...blocks], ...rest };
}

/** Reads what a tool is to be given: an object in JSON. */
export function parsePayload(payload: string): Readonly<Record<string, unknown>> {
  const bad = (why: string): SkeinError =>
    new SkeinError(`The payload is not a JSON object: ${why}`, {
      kind: "parse",
      target: "payload",
      hint: `Give something like '{"command":"ls"}'; skein show-tool shows what a tool takes`,
    });
  let value: unknown;
  try {
    value = JSON.parse(payload);
  } catch (error) {
    throw bad((error as Error).message);
  }
  const parsed = z.record(z.string(), z.unknown()).safeParse(value);
  if (parsed.success) return parsed.data;
  throw bad(`it is ${Array.isArray(value) ? "a list" : value === null ? "null" : `a ${typeof value}`}`);
}

function blockText(block: unknown): string {
  const text = (block as { readonly text?: unknown } | null)?.text;
  return typeof text === "string" ? text : "";
}

function toText(output: unknown): string {
  if (output === undefined || output === null) return "";
  return typeof output === "string" ? output : JSON.stringify(output);
}
