import type { BytePath } from "../byte-path.ts";

/** The CLI's own notes for its sandbox (2.1.325), which it makes in the directory that it works in. */
const DROPPING = /(?:^|\/)\.claude\/\.cc-writes$/;

/** Whether a path is something that the CLI makes for itself while it works, and not part of anybody's work: no state holds it. */
export function isDropping(path: BytePath): boolean {
  return DROPPING.test(path);
}

/** The rule as a text that changes when it does. */
export const DROPPING_KEY: string = DROPPING.source;
