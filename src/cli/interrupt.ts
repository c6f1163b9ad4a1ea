import { SkeinError } from "../core/index.ts";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Turns requests to end into an abort signal; the second one is not a request any more. */
export interface Interrupt extends Disposable {
  readonly signal: AbortSignal;
  interrupt(): void;
}

/** Listens for Ctrl-C and its kin. The first aborts the signal; the second calls `kill`. */
export function listenForInterrupts(kill: () => void, source: NodeJS.EventEmitter = process): Interrupt {
  const controller = new AbortController();
  const interrupt = (): void => {
    if (controller.signal.aborted) kill();
    else controller.abort(new SkeinError("Interrupted", { kind: "cancelled" }));
  };
  for (const name of SIGNALS) source.on(name, interrupt);
  return {
    signal: controller.signal,
    interrupt,
    [Symbol.dispose]: () => {
      for (const name of SIGNALS) source.off(name, interrupt);
    },
  };
}
