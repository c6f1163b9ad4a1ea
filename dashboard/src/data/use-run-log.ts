import { useMemo, useSyncExternalStore } from "react";
import { runLog, type RunLogData } from "./run-log.ts";

/** The lines of a run's journal and what is being written, while it is shown. */
export function useRunLog(run: string): RunLogData {
  const log = useMemo(() => runLog(run), [run]);
  return useSyncExternalStore(log.subscribe, log.data);
}
