import type { Writing } from "../../data/run-log.ts";
import type { Entry } from "./entries.ts";

/** What is being written now, after all that is. */
export function withWriting(entries: readonly Entry[], writing: Writing | undefined): readonly Entry[] {
  if (writing === undefined || writing.text === "") return entries;
  const about = { key: "writing", at: undefined, text: writing.text, isWriting: true } as const;
  switch (writing.kind) {
    case "text":
      return [...entries, { ...about, kind: "text", model: undefined }];
    case "thinking":
      return [...entries, { ...about, kind: "thinking" }];
    case "input":
      return [
        ...entries,
        {
          key: "writing",
          at: undefined,
          kind: "notice",
          meaning: "neutral",
          words: `Writes a call of ${writing.tool ?? "a tool"}, ${writing.text.length} characters so far`,
          detail: undefined,
          isMinor: false,
        },
      ];
  }
}
