import { SkeinError } from "../../core/index.ts";
import type { ObjectInfo } from "./object-reader.ts";
import { MOST_LISTING_BYTES, runGitSync } from "../run-git.ts";

/** An object that was read with many others. */
export interface ReadObject extends ObjectInfo {
  readonly content: Buffer;
}

/** Reads objects by their names, in that order, by one git; undefined for those that are not there. Everything else waits. */
export function readObjectsSync(gitDirectory: string, names: readonly string[]): readonly (ReadObject | undefined)[] {
  const input = names.map((name) => `${name}\n`).join("");
  try {
    const call = { gitDirectory, args: ["cat-file", "--batch"], input, mostOutputBytes: MOST_LISTING_BYTES };
    return parseAnswers(runGitSync(call), names.length);
  } catch (error) {
    // Too much for one answer may fit into two.
    if (!(error instanceof SkeinError) || error.kind !== "policy" || names.length < 2) throw error;
    const half = names.length >> 1;
    return [
      ...readObjectsSync(gitDirectory, names.slice(0, half)),
      ...readObjectsSync(gitDirectory, names.slice(half)),
    ];
  }
}

/** Each answer is a line with id, type and size, the content and a newline; of what is missing only a line. */
function parseAnswers(output: Buffer, count: number): readonly (ReadObject | undefined)[] {
  const found: (ReadObject | undefined)[] = [];
  for (let start = 0; found.length < count;) {
    const lineEnd = output.indexOf(10, start);
    const [oid = "", type = "", digits = ""] = output.toString("latin1", start, lineEnd).split(" ");
    start = lineEnd + 1;
    if (!/^\d+$/u.test(digits)) {
      found.push(undefined);
      continue;
    }
    const sizeBytes = Number(digits);
    found.push({ oid, type, sizeBytes, content: output.subarray(start, start + sizeBytes) });
    start += sizeBytes + 1;
  }
  return found;
}
