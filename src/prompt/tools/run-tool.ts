import { messageOf } from "../../core/internal.ts";
import { closeSchema, findUnnamed, toJsonSchema } from "../output/json-schema.ts";
import { describeIssues } from "../output/standard-schema.ts";
import { renderResult, type ToolResult } from "./tool-result.ts";
import type { AnyTool, ToolContext } from "./tool.ts";

export interface ToolReply {
  /** What the model reads. */
  readonly text: string;
  readonly isError: boolean;
  /** What the handler gave; none where it was not called, or failed. */
  readonly result?: ToolResult;
}

/** Checks the arguments, calls the handler and checks what it gives. Whatever goes wrong is a reply that says so. */
export async function runTool(tool: AnyTool, args: unknown, context: ToolContext): Promise<ToolReply> {
  try {
    const checked = await checkArguments(tool, args ?? {});
    if ("problem" in checked) return failed(`Invalid arguments for ${tool.name}: ${checked.problem}`);
    const result = await untilAborted(Promise.resolve(tool.handler(checked.params, context)), context.signal);
    return await checkResult(tool, result);
  } catch (error) {
    return failed(`The tool ${tool.name} failed: ${messageOf(error)}`);
  }
}

async function checkArguments(tool: AnyTool, given: unknown) {
  const schema = closeSchema(toJsonSchema(tool.params, tool.name));
  const unnamed = findUnnamed(schema, given);
  if (unnamed.length > 0) {
    const known = Object.keys(schema.properties ?? {}).join(", ") || "no arguments";
    return { problem: `${unnamed.join(", ")} is not known; it takes ${known}` };
  }
  const checked = await tool.params["~standard"].validate(given);
  return checked.issues ? { problem: describeIssues(checked.issues) } : { params: checked.value };
}

async function checkResult(tool: AnyTool, result: ToolResult | undefined): Promise<ToolReply> {
  if (typeof result?.success !== "boolean" || typeof result.message !== "string") {
    return failed(`The tool ${tool.name} failed: its handler returned no ToolResult`);
  }
  if (!result.success) return { text: result.message, isError: true, result };
  const checked = result.value === undefined ? undefined : await tool.result?.["~standard"].validate(result.value);
  if (!checked?.issues) return { text: renderResult(result), isError: false, result };
  return failed(`The tool ${tool.name} failed: its value does not match its schema: ${describeIssues(checked.issues)}`);
}

function failed(text: string): ToolReply {
  return { text, isError: true };
}

/** Work that does not listen to its signal is left alone: nobody waits for it any more. */
export async function untilAborted<Value>(running: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const done = new AbortController();
  const aborted = new Promise<never>((_, reject) => {
    const stop = (): void => reject(signal.reason instanceof Error ? signal.reason : new Error("it was cancelled"));
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true, signal: done.signal });
  });
  try {
    return await Promise.race([running, aborted]);
  } finally {
    done.abort();
  }
}
