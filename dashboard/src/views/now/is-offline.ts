import type { RunData } from "../../../../src/monitor/api-types.ts";

/** Whether nobody paid: of a search, where the offline model answered a turn of it. */
export function isOffline({ kind, offline, process_id: id }: RunData, runs: ReadonlyMap<string, RunData>): boolean {
  if (kind !== "search") return offline === true;
  return [...runs.values()].some((run) => run.process_id === id && run.offline === true);
}
