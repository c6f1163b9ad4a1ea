import type { RunSummary } from "../runs/run-data.ts";
import type { WebhookTopic } from "./alert-settings.ts";

/** A run that began or came to its end, of which nobody was told. */
export interface RunNews {
  readonly run: RunSummary;
  readonly type: Exclude<WebhookTopic, "alerts">;
}

/** What is new of the turns and searches that people started. The turns of a search are not told: it is itself a run; a program tells of itself. */
export function runNews(runs: readonly RunSummary[], told: ReadonlyMap<string, boolean>): readonly RunNews[] {
  return runs.flatMap((run): readonly RunNews[] => {
    const isSession = run.kind !== "program" && run.directory === run.workspace;
    if (!isSession || told.get(run.run) === true) return [];
    const begun = told.has(run.run) ? [] : [{ run, type: "session-started" as const }];
    if (!isOver(run)) return begun;
    const isFailed = run.isCutOff || run.isError === true;
    return [...begun, { run, type: isFailed ? "session-failed" : "session-completed" }];
  });
}

export function isOver({ hasEnded, isCutOff }: RunSummary): boolean {
  return hasEnded || isCutOff;
}
