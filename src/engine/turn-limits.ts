import { ClaudeTimeoutError, SkeinError, type Clock } from "../core/index.ts";
import type { ClaudeOptions } from "./claude-options.ts";
import type { CliProcess } from "./processes/cli-process.ts";
import { watchResources } from "./watch-resources.ts";

/** Time without a message, while no tool runs, after which a turn is given up. */
export const DEFAULT_IDLE_MS = 120_000;

/** What can end a turn from outside. */
export interface TurnLimits extends Disposable {
  /** Resolves with the reason once a limit is passed; never rejects. */
  readonly passed: Promise<SkeinError>;
  /** Something was heard; while a tool works, silence is no sign of anything. */
  heard(isWorking: boolean): void;
}

/** Watches over a turn: the caller's signal, its time, its deadline, silence, and what it takes of the machine, each with its own error. */
export function watchTurn(options: ClaudeOptions, clock: Clock, process: () => CliProcess | undefined): TurnLimits {
  const over = new AbortController();
  let pass: (error: SkeinError) => void = () => undefined;
  const passed = new Promise<SkeinError>((resolve) => (pass = resolve));
  const after = (ms: number, error: () => SkeinError, signal = over.signal): void => {
    clock.sleep(Math.max(0, ms), signal).then(
      () => pass(error()),
      () => undefined,
    );
  };

  const onAbort = (): void => pass(cancelled());
  options.signal?.addEventListener("abort", onAbort, { once: true });
  // It may have been aborted while the process was being started, and tells that to nobody again.
  if (options.signal?.aborted) onAbort();
  if (options.timeoutMs !== undefined) after(options.timeoutMs, () => timedOut("turn", options.timeoutMs ?? 0));
  if (options.deadline !== undefined) after(options.deadline - clock.now(), () => timedOut("deadline", 0));
  watchResources(options, { process, clock, signal: over.signal, pass });

  const idleMs = options.idleTimeoutMs ?? DEFAULT_IDLE_MS;
  let silence = new AbortController();
  const listen = (): void => after(idleMs, () => timedOut("idle", idleMs), silence.signal);
  listen();

  return {
    passed,
    heard(isWorking) {
      silence.abort();
      silence = new AbortController();
      if (!isWorking) listen();
    },
    [Symbol.dispose]() {
      options.signal?.removeEventListener("abort", onAbort);
      silence.abort();
      over.abort();
    },
  };
}

function cancelled(): SkeinError {
  return new SkeinError("The turn was cancelled", { kind: "cancelled", hint: "The session can be resumed." });
}

function timedOut(reason: "turn" | "deadline" | "idle", timeoutMs: number): ClaudeTimeoutError {
  const messages = {
    turn: `The turn took longer than ${timeoutMs} ms`,
    deadline: "The deadline passed",
    idle: `Nothing was heard of the agent for ${timeoutMs} ms, and no tool was running`,
  };
  const hint = "Allow more time, or ask for less at once; the session can be resumed.";
  return new ClaudeTimeoutError(messages[reason], { timeoutMs, reason, hint });
}
