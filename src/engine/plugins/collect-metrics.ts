import { toSkeinError } from "../../core/index.ts";
import type { PluginFailure } from "./hook-caller.ts";
import type { SkeinPlugin } from "./skein-plugin.ts";

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
