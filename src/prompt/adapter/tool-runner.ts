import { defined, type Clock } from "../../core/index.ts";
import { runTool } from "../tools/run-tool.ts";
import type { ToolRunner } from "../tools/tool-bridge.ts";
import type { ToolContext } from "../tools/tool.ts";
import type { Evaluation } from "./evaluation.ts";

/** Runs the handlers of a prompt's tools, each in its transaction, under a watch for silence. */
export function createToolRunner(evaluation: Evaluation): ToolRunner {
  const { adapter, options, rendered, workspace, limits, transactions, log, clock, ending } = evaluation;
  return async (tool, args, { callId, signal }) => {
    using watch = watchSilence(adapter.toolIdleTimeoutMs, clock);
    const context: ToolContext = {
      session: options.session,
      workspace,
      resources: rendered.resources,
      ...defined({ deadline: limits.deadline, budget: limits.tracker }),
      callId,
      signal: AbortSignal.any([signal, ending.signal, watch.signal]),
      heartbeat: () => watch.heard(),
    };
    const reply = await transactions.run(callId, async () => await runTool(tool, args, context));
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
