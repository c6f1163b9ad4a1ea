import type { Row } from "./row.ts";

/** Something that is measured by itself: `npm run bench -- --only NAME`. */
export interface Bench {
  readonly name: string;
  /** What is measured, beside what. */
  readonly summary: string;
  /** Measures; `tell` says what comes next, for those who wait. */
  run(tell: (next: string) => void): Promise<readonly Row[]>;
}
