import type { RunData, ServerMessage } from "../../../src/monitor/api-types.ts";
import { readLive } from "../data/live.ts";
import { baseName } from "../parts/format.ts";

/** A run that this message tells the end of, unless it is a turn of a search: its search tells of that. */
export function endedBy(
  message: ServerMessage,
  known: Readonly<Record<string, RunData["state"]>>,
): RunData | undefined {
  if (message.type !== "run" || message.run.state === "running") return undefined;
  const { run } = message;
  if (run.kind === "program" || known[run.run] !== "running") return undefined;
  const isOfSearch = [...readLive().runs.values()].some(
    ({ kind, process_id: id }) => (kind === "search" || kind === "team") && id === run.process_id,
  );
  return run.kind === "turn" && isOfSearch && run.directory !== run.workspace ? undefined : run;
}

/** "The turn in shop failed: network". */
export function endText({ kind, workspace, state, is_error: isError, end_reason: reason }: RunData): string {
  const what = `The ${kind} in ${baseName(workspace)}`;
  if (state === "interrupted") return `${what} was cut off: its process was killed`;
  if (isError === true) return `${what} failed: ${reason ?? "it does not say why"}`;
  return reason === "cancelled" ? `${what} was cancelled` : `${what} ended`;
}
