import { SkeinError } from "../../core/index.ts";
import type { ToolPolicy } from "../tool-policy.ts";

/** A tool may be called only after others were, with success, in the same evaluation: `{ deploy: ["test", "build"] }`. */
export function sequentialDependency(needs: Readonly<Record<string, readonly string[]>>): ToolPolicy {
  const byTool = new Map(Object.entries(needs));
  for (const tool of byTool.keys()) refuseCircle(byTool, tool);
  return {
    name: "sequential-dependency",
    check({ tool }, { calls }) {
      const done = new Set(calls.filter(({ isError }) => !isError).map((ended) => ended.tool));
      const missing = (byTool.get(tool) ?? []).filter((needed) => !done.has(needed));
      return missing.length === 0 ? undefined : { denied: `${tool} needs ${missing.join(", ")} to be called first.` };
    },
  };
}

/** Tools that wait for each other could never be called. */
function refuseCircle(needs: ReadonlyMap<string, readonly string[]>, tool: string): void {
  const seen = new Set<string>();
  const open = [...(needs.get(tool) ?? [])];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next === tool) {
      const hint = "Take one of the tools out of the cycle.";
      throw new SkeinError(`The tool ${tool} would have to be called before itself`, {
        kind: "usage",
        target: tool,
        hint,
      });
    }
    if (seen.has(next)) continue;
    seen.add(next);
    open.push(...(needs.get(next) ?? []));
  }
}
