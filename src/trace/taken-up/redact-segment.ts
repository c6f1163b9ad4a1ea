import type { SecretRedactor } from "../../engine/index.ts";
import type { SessionSegment } from "../session-entry.ts";

/** A segment without the secrets of this process. */
export function redactSegment({ main, subagents }: SessionSegment, { value }: SecretRedactor): SessionSegment {
  return { main: value(main), subagents: new Map(Array.from(subagents, ([path, entries]) => [path, value(entries)])) };
}
