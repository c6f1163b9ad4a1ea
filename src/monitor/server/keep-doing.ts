import type { Clock } from "../../core/internal.ts";

/** Does something now, and again some time after each time that it is done; a failure is left to the next time. Its end aborts what is being done. */
export function keepDoing(
  work: (signal: AbortSignal) => Promise<void>,
  everyMs: number,
  clock: Clock,
): AsyncDisposable {
  const stop = new AbortController();
  const doing = (async () => {
    while (!stop.signal.aborted) {
      await work(stop.signal).catch(() => undefined);
      await clock.sleep(everyMs, stop.signal).catch(() => undefined);
    }
  })();
  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      await doing;
    },
  };
}
