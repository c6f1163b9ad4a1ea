import { z } from "zod";
import type { TestCounts } from "./test-counts.ts";

const Report = z.looseObject({
  numPassedTests: z.int(),
  numFailedTests: z.int(),
  numPendingTests: z.int().default(0),
  numTodoTests: z.int().default(0),
  testResults: z
    .array(z.looseObject({ status: z.string().optional(), assertionResults: z.array(z.unknown()).default([]) }))
    .default([]),
});

/** Reads the JSON report of jest or vitest. A file that could not be run at all counts as one failed test. */
export function parseJestJson(text: string): TestCounts | undefined {
  const report = Report.safeParse(findObject(text));
  if (!report.success) return undefined;
  const { numPassedTests, numFailedTests, numPendingTests, numTodoTests, testResults } = report.data;
  const broken = testResults.filter(({ status, assertionResults }) => status === "failed" && !assertionResults.length);
  return {
    passed: numPassedTests,
    failed: numFailedTests + broken.length,
    skipped: numPendingTests + numTodoTests,
  };
}

/** The report may stand between other lines on standard output: npm's banner, what the tests print. */
function findObject(text: string): unknown {
  for (let start = text.indexOf("{"); start !== -1; start = nextObject(text, start)) {
    for (const end of [text.lastIndexOf("}"), text.indexOf("\n", start) - 1]) {
      try {
        return JSON.parse(text.slice(start, end + 1));
      } catch {
        // Not the report: look at the next line that begins with a brace.
      }
    }
  }
  return undefined;
}

function nextObject(text: string, start: number): number {
  const next = text.indexOf("\n{", start);
  return next === -1 ? -1 : next + 1;
}
