import { SkeinError, isoTime, toSkeinError, type Clock, type EventOf } from "../../core/index.ts";
import type { Answer, SkeinPlugin } from "./skein-plugin.ts";

/** A hook that failed; the turn went on without it. */
export interface PluginFailure {
  readonly plugin: string;
  readonly hook: string;
  readonly error: SkeinError;
}

/** A call of one plugin's hook. */
interface Hook<Value> {
  readonly plugin: SkeinPlugin;
  readonly name: keyof SkeinPlugin;
  run(): Answer<Value>;
  readonly signal?: AbortSignal | undefined;
}

/** Calls the hooks of a turn. */
export type HookCaller = ReturnType<typeof createHookCaller>;

/** Makes the caller for one turn: a hook that fails, or never ends, costs nothing but its own answer. */
export function createHookCaller(settings: {
  readonly clock: Clock;
  readonly hookTimeoutMs: number;
  readonly onPluginError?: ((failure: PluginFailure) => void) | undefined;
}) {
  const { clock, hookTimeoutMs, onPluginError } = settings;
  const told = new Set<string>();
  let reports: { readonly plugin: SkeinPlugin; readonly event: EventOf<"status"> }[] = [];

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
    /** The hook's answer, or `otherwise` where it failed. */
    async call<Value>({ plugin, name, run, signal }: Hook<Value>, otherwise: Value): Promise<Value> {
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
    /** What failed since the last time, each failure told once in a turn. */
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
  const answered = new AbortController();
  const timeOut = async (): Promise<never> => {
    await clock.sleep(timeoutMs, AbortSignal.any([answered.signal, ...(signal ? [signal] : [])]));
    throw new SkeinError(`${label} took longer than ${timeoutMs} ms`, { kind: "timeout" });
  };
  try {
    return await Promise.race([answer, timeOut()]);
  } finally {
    answered.abort();
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
