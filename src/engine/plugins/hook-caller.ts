import { SkeinError, isoTime, toSkeinError, type Clock, type StatusEvent } from "../../core/index.ts";
import type { Answer, SkeinPlugin } from "./skein-plugin.ts";

/** A hook that failed; the turn went on without it. */
export interface PluginFailure {
  readonly plugin: string;
  readonly hook: string;
  readonly error: SkeinError;
}

/** Calls the hooks of a turn so that one that fails, or never ends, costs nothing but its own answer. */
export interface HookCaller {
  /** The hook's answer, or `otherwise` where it failed. */
  call<Value>(hook: Hook<Value>, otherwise: Value): Promise<Value>;
  /** What failed since the last time, each failure told once in a turn. */
  takeReports(): readonly PluginReport[];
}

/** A call of one plugin's hook. */
export interface Hook<Value> {
  readonly plugin: SkeinPlugin;
  readonly name: keyof SkeinPlugin;
  run(): Answer<Value>;
  /** Gives up waiting for the answer. */
  readonly signal?: AbortSignal | undefined;
}

/** A failure as the event that tells it. */
export interface PluginReport {
  readonly plugin: SkeinPlugin;
  readonly event: StatusEvent;
}

/** Makes the caller for one turn. */
export function createHookCaller(settings: {
  readonly clock: Clock;
  /** How long a hook may take. */
  readonly hookTimeoutMs: number;
  readonly onPluginError?: ((failure: PluginFailure) => void) | undefined;
}): HookCaller {
  const { clock, hookTimeoutMs, onPluginError } = settings;
  const told = new Set<string>();
  let reports: PluginReport[] = [];

  const report = (plugin: SkeinPlugin, hook: string, thrown: unknown): void => {
    const error = toSkeinError(thrown);
    try {
      onPluginError?.({ plugin: plugin.name, hook, error });
    } catch {
      // The event below tells it all the same, and a reporter must not end a run.
    }
    const detail = `${plugin.name}: ${error.message}`;
    if (told.has(detail)) return;
    told.add(detail);
    const timestamp = isoTime(clock.now());
    reports.push({ plugin, event: { type: "status", timestamp, status: "plugin-error", detail } });
  };

  return {
    async call({ plugin, name, run, signal }, otherwise) {
      try {
        const answer = run();
        return answer instanceof Promise
          ? await withLimit(answer, { clock, signal, timeoutMs: hookTimeoutMs, label: name })
          : answer;
      } catch (error) {
        report(plugin, name, error);
        return otherwise;
      }
    },
    takeReports() {
      const taken = reports;
      reports = [];
      return taken;
    },
  };
}

/** The answer, if it comes in time. */
async function withLimit<Value>(
  answer: Promise<Value>,
  limit: {
    readonly clock: Clock;
    readonly signal: AbortSignal | undefined;
    readonly timeoutMs: number;
    readonly label: string;
  },
): Promise<Value> {
  const { clock, signal, timeoutMs, label } = limit;
  const waiting = new AbortController();
  const giveUp = (): void => waiting.abort(signal?.reason);
  if (signal?.aborted) giveUp();
  signal?.addEventListener("abort", giveUp, { once: true });
  const timeOut = async (): Promise<never> => {
    await clock.sleep(timeoutMs, waiting.signal);
    throw new SkeinError(`${label} took longer than ${timeoutMs} ms`, { kind: "timeout" });
  };
  try {
    return await Promise.race([answer, timeOut()]);
  } finally {
    signal?.removeEventListener("abort", giveUp);
    waiting.abort();
  }
}

/** The numbers of all plugins, each under `<plugin>.<metric>`. A plugin that fails at it is reported, and has none. */
export function collectMetrics(
  plugins: readonly SkeinPlugin[],
  onPluginError: (failure: PluginFailure) => void = () => {},
): Readonly<Record<string, number>> {
  const all: Record<string, number> = {};
  for (const plugin of plugins) {
    try {
      for (const [metric, value] of Object.entries(plugin.metrics?.() ?? {})) all[`${plugin.name}.${metric}`] = value;
    } catch (error) {
      onPluginError({ plugin: plugin.name, hook: "metrics", error: toSkeinError(error) });
    }
  }
  return all;
}
