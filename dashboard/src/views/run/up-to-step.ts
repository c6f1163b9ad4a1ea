import type { Entry } from "../../parts/timeline/entries.ts";

/** What had happened after some of a turn's calls: everything up to the last of them, or up to the first call where there is none. */
export function upToStep(
  entries: readonly Entry[],
  made: readonly { readonly tool_use_id: string }[],
): readonly Entry[] {
  const ids = new Set(made.map(({ tool_use_id: id }) => id));
  if (ids.size === 0) {
    const first = entries.findIndex(({ kind }) => kind === "tool");
    return first === -1 ? entries : entries.slice(0, first);
  }
  const last = entries.findLastIndex((entry) => isAmong(entry, ids));
  return entries.slice(0, last + 1).map((entry) => without(entry, ids));
}

function isAmong(entry: Entry, ids: ReadonlySet<string>): boolean {
  return entry.kind === "tool" && (ids.has(entry.id) || entry.inside.some((each) => isAmong(each, ids)));
}

/** Of a sub-agent that still works only what it has done. */
function without(entry: Entry, ids: ReadonlySet<string>): Entry {
  if (entry.kind !== "tool" || entry.inside.length === 0) return entry;
  const last = entry.inside.findLastIndex((each) => isAmong(each, ids));
  return { ...entry, inside: entry.inside.slice(0, last + 1) };
}
