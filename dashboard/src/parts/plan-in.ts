import type { LogLine } from "../data/run-log.ts";
import { fieldsOf, textOf } from "./tool-words.ts";

/** The plan that a call asks to carry out: a plan's file that was written in the turn before it, else the last text before it. */
export function planIn(lines: readonly LogLine[], toolUseId: string): string | undefined {
  const end = lines.findIndex(({ event }) => event.type === "tool-start" && event["tool_use_id"] === toolUseId);
  const before = (end < 0 ? lines : lines.slice(0, end)).map(({ event }) => event);
  const written = before.findLast((event) => {
    const path = textOf(fieldsOf(event["input"]), "file_path");
    return event.type === "tool-start" && event["tool"] === "Write" && /\/plans\/[^/]+\.md$/u.test(path);
  });
  if (written) return textOf(fieldsOf(written["input"]), "content");
  const said = before.findLast(({ type }) => type === "text");
  return said && textOf(said, "text");
}
