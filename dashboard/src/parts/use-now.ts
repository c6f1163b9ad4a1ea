import { useSyncExternalStore } from "react";

const EVERY_MS = 15_000;

const listeners = new Set<() => void>();
let nowMs = Date.now();
let timer: number | undefined;

/** The time, four times a minute: one clock for all that shows how long ago something was. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => nowMs);
}

function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) {
    nowMs = Date.now();
    timer = window.setInterval(tick, EVERY_MS);
  }
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) window.clearInterval(timer);
  };
}

function tick(): void {
  nowMs = Date.now();
  for (const listener of listeners) listener();
}
