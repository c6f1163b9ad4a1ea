/** How a run of tests went. */
export interface TestCounts {
  readonly passed: number;
  /** Errors too: what could not be run has not passed. */
  readonly failed: number;
  /** Skipped, pending, to be done. */
  readonly skipped: number;
}

/** Reads a report; undefined where there is none in it. */
export type ReportParser = (text: string) => TestCounts | undefined;
