import { useSyncExternalStore } from "react";
import { stream } from "./live.ts";

/** How a question was closed: who answered it and how; both are null where its run is over. */
export interface Closing {
  readonly decision: "allow" | "deny" | null;
  readonly by: string | null;
}

const MOST_KEPT = 200;

const closings = new Map<string, Closing>();
const listeners = new Set<() => void>();

stream.onMessage((message) => {
  if (message.type !== "question-closed") return;
  const { question_id: id, decision, by } = message;
  closings.set(id, { decision, by });
  const [oldest] = closings.keys();
  if (closings.size > MOST_KEPT && oldest !== undefined) closings.delete(oldest);
  for (const listener of listeners) listener();
});

/** How a question was closed, while this page was open. */
export function useClosing(question: string): Closing | undefined {
  return useSyncExternalStore(subscribe, () => closings.get(question));
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
