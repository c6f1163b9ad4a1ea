import type { Writing } from "../../data/writings.ts";
import type { Entry } from "./entries.ts";

/** What is being written now, after all that is; what a sub-agent writes, in its call. */
export function withWritings(entries: readonly Entry[], writings: readonly Writing[]): readonly Entry[] {
  return writings.reduce((before, writing) => {
    if (writing.text === "") return before;
    const { parent } = writing;
    const entry = entryOf(writing);
    return (parent === undefined ? undefined : putInto(before, parent, entry)) ?? [...before, entry];
  }, entries);
}

/** The entries with one more in a call; undefined where that is not among them. */
function putInto(entries: readonly Entry[], call: string, added: Entry): readonly Entry[] | undefined {
  for (const [place, entry] of entries.entries()) {
    if (entry.kind !== "tool") continue;
    const inside = entry.id === call ? [...entry.inside, added] : putInto(entry.inside, call, added);
    if (inside) return entries.with(place, { ...entry, inside });
  }
  return undefined;
}

function entryOf({ kind, text, tool, parent }: Writing): Entry {
  const about = { key: `writing ${parent ?? ""}`.trim(), at: undefined, text, isWriting: true } as const;
  switch (kind) {
    case "text":
      return { ...about, kind, model: undefined };
    case "thinking":
      return { ...about, kind };
    case "input":
      return {
        key: about.key,
        at: undefined,
        kind: "notice",
        meaning: "neutral",
        words: `Writes a call of ${tool ?? "a tool"}, ${text.length} characters so far`,
        detail: undefined,
        isMinor: false,
      };
  }
}
