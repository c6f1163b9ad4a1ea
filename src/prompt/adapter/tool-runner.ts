import { defined, type Clock } from "../../core/internal.ts";
import { runTool } from "../tools/run-tool.ts";
import type { ToolRunner } from "../tools/tool-bridge.ts";
import type { Evaluation } from "./evaluation.ts";

/** Runs the handlers of a prompt's tools, each in its transaction, under a watch for silence. */
export function createToolRunner(evaluation: Evaluation): ToolRunner {
  const { adapter, options, rendered, workspace, limits, transactions, log, clock, ending } = evaluation;
  return async (tool, args, { callId, signal }) => {
    using watch = watchSilence(adapter.toolIdleTimeoutMs, clock);
    const context = {
      session: options.session,
      workspace,
      resources: rendered.resources,
      ...defined({ deadline: limits.deadline, budget: limits.tracker }),
      callId,
      signal: AbortSignal.any([signal, ending.signal, watch.signal]),
      heartbeat: watch.heard,
    };
    const reply = await transactions.run(callId, async () => await runTool(tool, args, context));
    if (reply.result?.value !== undefined) log.noteValue(callId, reply.result.value);
    return reply;
  };
}

/** Its signal is aborted after too long a silence. */
function watchSilence(idleTimeoutMs: number | undefined, clock: Clock) {
  const silent = new AbortController();
  let limitMs = idleTimeoutMs;
  let waiting = new AbortController();
  const heard = (): void => {
    waiting.abort();
    if (limitMs === undefined) return;
    waiting = new AbortController();
    clock.sleep(limitMs, waiting.signal).then(
      () => silent.abort(new Error(`it was silent for ${idleTimeoutMs} ms`)),
      () => undefined,
    );
  };
  heard();
  return {
    signal: silent.signal,
    heard,
    [Symbol.dispose]() {
      limitMs = undefined;
      waiting.abort();
    },
  };
}
