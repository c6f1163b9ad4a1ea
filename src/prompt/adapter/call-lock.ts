import { untilAborted } from "../tools/run-tool.ts";

/** Lets many calls run together, or one alone: that one waits for all before it, and all after it wait for it. */
export function createCallLock() {
  let all: Promise<unknown> = Promise.resolve();
  let lastAlone = all;
  return {
    /** Waits for its turn, in order of asking; gives the function that lets the next in. */
    async take(kind: "alone" | "together", signal: AbortSignal): Promise<() => void> {
      signal.throwIfAborted();
      const before = kind === "alone" ? all : lastAlone;
      let release = (): void => undefined;
      const over = new Promise<void>((resolve) => {
        release = resolve;
      });
      all = Promise.all([all, over]);
      if (kind === "alone") lastAlone = all;
      try {
        await untilAborted(before, signal);
      } catch (error) {
        release();
        throw error;
      }
      return release;
    },
  };
}
