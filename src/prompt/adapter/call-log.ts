import { defined } from "../../core/internal.ts";
import type { EndedCall, ToolCall, ToolOutcome } from "../tools/tool-policy.ts";
import type { EvaluationEvents } from "./evaluation-events.ts";

/** A call that was not let run, by a policy, a rule, a limit or a person. */
export interface DeniedCall extends ToolCall {
  /** What the model was told. */
  readonly reason: unknown;
}

/** The calls of an evaluation, each told of once. */
export function createCallLog(report: EvaluationEvents["toolInvoked"]) {
  const ended: EndedCall[] = [];
  const denied: DeniedCall[] = [];
  const open = new Map<string, ToolCall>();
  const told = new Set<string>();
  const values = new Map<string, unknown>();
  return {
    /** The calls that are over and were not denied, oldest first. */
    ended: ended as readonly EndedCall[],
    denied: denied as readonly DeniedCall[],
    begin: (call: ToolCall) => void open.set(call.callId, call),
    noteValue: (callId: string, value: unknown) => void values.set(callId, value),
    valueOf: (callId: string) => values.get(callId),
    /** A call is over; only the first word on it counts. False for one that was told of before. */
    end(call: ToolCall, { isError, output, isDenied = false }: ToolOutcome & { readonly isDenied?: boolean }) {
      const { callId, tool: name, isBridged, input } = call;
      open.delete(callId);
      if (told.has(callId)) return false;
      told.add(callId);
      if (isDenied) denied.push({ ...call, reason: output });
      else ended.push({ ...call, isError, output });
      const value = values.get(callId);
      const fields = { callId, name, isBridged, input, success: !isError, output };
      report({ ...fields, ...(isDenied ? { isDenied } : {}), ...defined({ value }) });
      return true;
    },
    open: () => [...open.values()],
  };
}
