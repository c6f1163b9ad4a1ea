import { defined } from "../../core/index.ts";
import type { ToolInvoked } from "../session/prompt-events.ts";
import type { EndedCall, ToolCall, ToolOutcome } from "../tools/tool-policy.ts";

/** How a call ended, in full. */
export interface CallEnd extends ToolOutcome {
  readonly isDenied?: boolean;
}

/** A call that was not let run, by a policy, a rule, a limit or a person. */
export interface DeniedCall extends ToolCall {
  /** What the model was told. */
  readonly reason: unknown;
}

/** The calls of an evaluation, each told of once. */
export interface CallLog {
  /** The calls that are over and were not denied, oldest first. */
  readonly ended: readonly EndedCall[];
  /** The calls that were denied, oldest first. */
  readonly denied: readonly DeniedCall[];
  /** A call is about to be made. */
  begin(call: ToolCall): void;
  /** A bridged call gave a value. */
  noteValue(callId: string, value: unknown): void;
  /** The value that a bridged call gave. */
  valueOf(callId: string): unknown;
  /** A call is over; only the first word on it counts. False for one that was told of before. */
  end(call: ToolCall, end: CallEnd): boolean;
  /** The calls that were begun and are not over. */
  open(): readonly ToolCall[];
}

/** What an event about a call has beside what all events of an evaluation have. */
export type CallReport = Pick<
  ToolInvoked,
  "callId" | "name" | "isBridged" | "input" | "success" | "isDenied" | "output" | "value"
>;

/** Makes the log; `report` is called once for each call. */
export function createCallLog(report: (call: CallReport) => void): CallLog {
  const ended: EndedCall[] = [];
  const denied: DeniedCall[] = [];
  const open = new Map<string, ToolCall>();
  const told = new Set<string>();
  const values = new Map<string, unknown>();
  return {
    ended,
    denied,
    begin: (call) => void open.set(call.callId, call),
    noteValue: (callId, value) => void values.set(callId, value),
    valueOf: (callId) => values.get(callId),
    end(call, { isError, output, isDenied = false }) {
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
