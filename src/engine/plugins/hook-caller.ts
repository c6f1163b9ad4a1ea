import { SkeinError, isoTime, toSkeinError, type EventOf } from "../../core/internal.ts";
import type { Answer, PluginFailure, PluginSettings, SkeinPlugin } from "./skein-plugin.ts";

interface Hook<Value> {
  readonly plugin: SkeinPlugin;
  readonly name: keyof SkeinPlugin;
  run(): Answer<Value>;
  readonly signal?: AbortSignal | undefined;
}

export type HookCaller = ReturnType<typeof createHookCaller>;

/** Makes the caller for one turn: a hook that fails, or never ends, costs nothing but its own answer. */
export function createHookCaller({ clock, hookTimeoutMs, onPluginError }: PluginSettings) {
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

  const inTime = async <Value>(answer: Promise<Value>, hook: string, signal?: AbortSignal): Promise<Value> => {
    const answered = new AbortController();
    const timeOut = async (): Promise<never> => {
      await clock.sleep(hookTimeoutMs, AbortSignal.any([answered.signal, ...(signal ? [signal] : [])]));
      throw new SkeinError(`${hook} took longer than ${hookTimeoutMs} ms`, { kind: "timeout" });
    };
    try {
      return await Promise.race([answer, timeOut()]);
    } finally {
      answered.abort();
    }
  };

  return {
    /** The hook's answer, or `otherwise` where it failed. */
    async call<Value>({ plugin, name, run, signal }: Hook<Value>, otherwise: Value): Promise<Value> {
      try {
        const answer = run();
        return answer instanceof Promise ? await inTime(answer, name, signal) : answer;
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
