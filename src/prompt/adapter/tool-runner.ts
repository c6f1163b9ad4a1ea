import type { Clock } from "../../core/index.ts";
import type { ToolContext } from "../tool.ts";
import { runTool } from "../tools/run-tool.ts";
import type { ToolRunner } from "../tools/tool-bridge.ts";
import type { CallTransactions } from "../transactions/call-transactions.ts";
import type { CallLog } from "./call-log.ts";

/** What handlers of one evaluation are run with. */
export interface RunnerParts {
  readonly context: Omit<ToolContext, "callId" | "heartbeat">;
  readonly transactions: CallTransactions;
  readonly log: CallLog;
  readonly idleTimeoutMs: number | undefined;
  readonly clock: Clock;
}

/** Runs the handlers of a prompt's tools, each in its transaction, under a watch for silence. */
export function createToolRunner({ context, transactions, log, idleTimeoutMs, clock }: RunnerParts): ToolRunner {
  return async (tool, args, { callId, signal }) => {
    using watch = watchSilence(idleTimeoutMs, clock);
    const stop = AbortSignal.any([signal, context.signal, watch.signal]);
    const whole: ToolContext = { ...context, callId, signal: stop, heartbeat: () => watch.heard() };
    const reply = await transactions.run(callId, async () => await runTool(tool, args, whole));
    if (reply.result?.value !== undefined) log.noteValue(callId, reply.result.value);
    return reply;
  };
}

interface SilenceWatch extends Disposable {
  /** Aborted after too long a silence. */
  readonly signal: AbortSignal;
  heard(): void;
}

function watchSilence(idleTimeoutMs: number | undefined, clock: Clock): SilenceWatch {
  const silent = new AbortController();
  let waiting = new AbortController();
  let isOver = idleTimeoutMs === undefined;
  const listen = (): void => {
    if (isOver || idleTimeoutMs === undefined) return;
    const { signal } = waiting;
    clock.sleep(idleTimeoutMs, signal).then(
      () => silent.abort(new Error(`it was silent for ${idleTimeoutMs} ms`)),
      () => undefined,
    );
  };
  listen();
  return {
    signal: silent.signal,
    heard() {
      waiting.abort();
      waiting = new AbortController();
      listen();
    },
    [Symbol.dispose]() {
      isOver = true;
      waiting.abort();
    },
  };
}
