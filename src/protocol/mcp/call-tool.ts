import type { RequestHandlerExtra } from "@modelcontextprotocol/sdk/shared/protocol.js";
import type { CallToolResult, ServerNotification, ServerRequest } from "@modelcontextprotocol/sdk/types.js";
import { BudgetTracker, NO_SPENDING, SkeinError, toSkeinError } from "../../core/internal.ts";
import { callCommand } from "../command/call-command.ts";
import type { CallContext } from "../command/command.ts";
import { toErrorData } from "../command/envelope.ts";
import { boundParams, type LoadedTool, type McpBounds } from "./mcp-tools.ts";

type McpExtra = RequestHandlerExtra<ServerRequest, ServerNotification>;

export interface ToolCall {
  readonly given: Readonly<Record<string, unknown>>;
  readonly extra: McpExtra;
  readonly context: CallContext;
  readonly bounds: McpBounds;
  readonly spending: ReturnType<typeof createSpending>;
  readonly alone: ReturnType<typeof oneAtATime>;
}

/** Runs the command behind a tool. What goes wrong is a result, which the model is shown. */
export async function callTool(tool: LoadedTool, call: ToolCall): Promise<CallToolResult> {
  const { bounds, alone } = call;
  try {
    const params = boundParams(tool, call.given, bounds);
    const needsToBeAlone = bounds.confinement.root !== undefined && tool.command.effects.changes !== "nothing";
    const run = (): Promise<object> => runTool(tool, params, call);
    const data = await (needsToBeAlone ? alone(run) : run());
    return { content: [{ type: "text", text: JSON.stringify(data) }], structuredContent: { ...data } };
  } catch (thrown) {
    const error = toErrorData(tool.name, toSkeinError(thrown));
    return { content: [{ type: "text", text: JSON.stringify(error) }], isError: true };
  }
}

async function runTool(tool: LoadedTool, given: ToolCall["given"], call: ToolCall): Promise<object> {
  const { extra, context, bounds, spending } = call;
  const { confinement } = bounds;
  const params = tool.budget === undefined ? given : spending.limit(tool.budget, given);
  const signal = AbortSignal.any([extra.signal, context.signal]);
  try {
    const data = await callCommand(tool.command, params, {
      ...context,
      confinement,
      signal,
      emit: createProgress(extra),
    });
    spending.count(data);
    return data;
  } catch (error) {
    spending.count(error);
    throw error;
  }
}

/** What the runs of a server have cost, and may still. */
export function createSpending(maxCostUsd: number) {
  const tracker = new BudgetTracker({ maxCostUsd });
  return {
    /** Limits a call to what is left; fails where that is nothing. */
    limit(field: string, given: ToolCall["given"]): ToolCall["given"] {
      const { maxCostUsd: left = 0 } = tracker.left();
      if (left <= 0) {
        throw new SkeinError(`The runs of this server have cost ${tracker.consumed.costUsd} USD, their whole budget`, {
          kind: "budget",
          target: "--max-cost-usd",
          hint: "Whoever starts skein mcp can give it another --max-cost-usd",
        });
      }
      // The model may give a number as a word, as on a command line; what is none is refused later.
      const wanted = Number(given[field] ?? left);
      return Number.isNaN(wanted) ? given : { ...given, [field]: Math.min(wanted, left) };
    },
    count: (outcome: unknown): void => tracker.count({ ...NO_SPENDING, costUsd: costOf(outcome) }),
  };
}

/** A command tells what it has cost in its data, and in the details of its error. */
function costOf(outcome: unknown): number {
  if (outcome instanceof SkeinError) return Math.max(0, ...Object.values(outcome.details).map(costOf));
  const cost = (outcome as { readonly cost_usd?: unknown } | null | undefined)?.cost_usd;
  return typeof cost === "number" ? cost : 0;
}

/**
 * Lets one call at a time change something. A path that was looked at could otherwise be another one by the time it is used: an
 * agent that works below the root can put a link in the place of a folder.
 */
export function oneAtATime(): <T>(work: () => Promise<T>) => Promise<T> {
  let isBusy = false;
  return async (work) => {
    if (isBusy) {
      throw new SkeinError("Another call of this server is running an agent or changing files", {
        kind: "workspace_busy",
        retryable: true,
        hint: "Wait for its answer",
      });
    }
    isBusy = true;
    try {
      return await work();
    } finally {
      isBusy = false;
    }
  };
}

/** Tells the events of a command as progress, where the caller asked for it. */
function createProgress(extra: McpExtra): (event: unknown) => Promise<void> {
  const { _meta: meta } = extra;
  const progressToken = meta?.progressToken;
  let progress = 0;
  return async (event) => {
    const message = wordsOf(event);
    if (progressToken === undefined || message === undefined || extra.signal.aborted) return;
    progress += 1;
    await extra.sendNotification({ method: "notifications/progress", params: { progressToken, progress, message } });
  };
}

/** An event in one line: its type, and what it is about. Pieces of what is being written are none. */
function wordsOf(event: unknown): string | undefined {
  const { type, tool, status, prompt } = event as Readonly<Record<string, unknown>>;
  if (typeof type !== "string" || type.endsWith("-delta")) return undefined;
  const about = [tool, status, prompt].find((word) => typeof word === "string");
  return about === undefined ? type : `${type}: ${about}`;
}
