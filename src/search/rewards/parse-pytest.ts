import { stripVTControlCharacters } from "node:util";
import type { TestCounts } from "./test-counts.ts";

/** `=== 1 failed, 2 passed in 0.12s ===`, the same without the signs (`-q`), or with `(0:01:05)` after the seconds. */
const SUMMARY = /^=*\s*((?:\d+ [a-z]+(?:, )?)+|no tests ran) in [\d.]+s(?: \([\d:]+(?: days?, [\d:]+)?\))?\s*=*$/;

/** Reads the last summary line of pytest. What failed as expected has passed; what passed against expectation too. */
export function parsePytest(text: string): TestCounts | undefined {
  const lines = stripVTControlCharacters(text).split(/\r?\n/);
  const summary = lines.map((line) => SUMMARY.exec(line.trim())?.[1]).findLast((found) => found !== undefined);
  if (summary === undefined) return undefined;
  const counts = new Map([...summary.matchAll(/(\d+) ([a-z]+)/g)].map(([, count, word]) => [word, Number(count)]));
  const sum = (...words: readonly string[]): number =>
    words.reduce((total, word) => total + (counts.get(word) ?? 0), 0);
  return {
    passed: sum("passed", "xfailed", "xpassed"),
    failed: sum("failed", "error", "errors"),
    skipped: sum("skipped"),
  };
}
