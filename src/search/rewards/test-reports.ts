import { z } from "zod";
import { stripVTControlCharacters } from "node:util";
import { parseJson } from "../../core/internal.ts";
import { scanXml } from "./scan-xml.ts";

/** How a run of tests went: what could not be run has failed, what is pending or to be done is skipped. */
type TestCounts = Readonly<Record<"passed" | "failed" | "skipped", number>>;

/** Reads a report; undefined where there is none in it. */
export type ReportParser = (text: string) => TestCounts | undefined;

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
  const lines = [...text.matchAll(/\n\{/g)].map(({ index }) => index + 1);
  for (const start of [text.indexOf("{"), ...lines].filter((index) => index !== -1)) {
    for (const end of [text.lastIndexOf("}"), text.indexOf("\n", start) - 1]) {
      const found = parseJson(text.slice(start, end + 1));
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

/**
 * Reads TAP. Where the summary of `node --test` is there it counts, since that knows the tests inside of suites; else the
 * lines of the outermost level do, and tests of the plan that never came have failed.
 */
export function parseTap(text: string): TestCounts | undefined {
  return parseSummary(text) ?? countLines(text);
}

function parseSummary(text: string): TestCounts | undefined {
  const count = (name: string): number | undefined => {
    const found = [...text.matchAll(new RegExp(`^# ${name} (\\d+)\\s*$`, "gm"))].at(-1);
    return found && Number(found[1]);
  };
  const [passed, failed] = [count("pass"), count("fail")];
  if (passed === undefined || failed === undefined || count("tests") === undefined) return undefined;
  return {
    passed,
    failed: failed + (count("cancelled") ?? 0),
    skipped: (count("skipped") ?? 0) + (count("todo") ?? 0),
  };
}

function countLines(text: string): TestCounts | undefined {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  const plan = /^1\.\.(\d+)/m.exec(text);
  const results = [...text.matchAll(/^(not )?ok\b[^\n#]*(?:(?<=\s)#\s*(skip|todo)\b)?/gim)];
  if (!plan && results.length === 0) return undefined;
  for (const [, not, directive] of results) {
    if (directive) counts.skipped += 1;
    else if (not) counts.failed += 1;
    else counts.passed += 1;
  }
  const missing = Math.max(0, Number(plan?.[1] ?? 0) - results.length);
  const bailedOut = /^Bail out!/m.test(text) && missing === 0 ? 1 : 0;
  return { ...counts, failed: counts.failed + missing + bailedOut };
}

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

/**
 * Reads JUnit XML: test cases by what is inside of them. Where a suite lists no cases, its own numbers count. A report that
 * is cut off or not XML is no report.
 */
export function parseJunit(text: string): TestCounts | undefined {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  const claimed = { passed: 0, failed: 0, skipped: 0 };
  let verdict: keyof TestCounts | undefined;
  let hasSuite = false;
  let hasCase = false;
  const isWhole = scanXml(text, {
    open(name, attributes) {
      if (name === "testsuite") {
        hasSuite = true;
        addClaims(claimed, attributes);
      } else if (name === "testsuites") hasSuite = true;
      else if (name === "testcase") [verdict, hasCase] = ["passed", true];
      else if (verdict && (name === "failure" || name === "error")) verdict = "failed";
      else if (verdict === "passed" && name === "skipped") verdict = "skipped";
    },
    close(name) {
      if (name !== "testcase" || !verdict) return;
      counts[verdict] += 1;
      verdict = undefined;
    },
  });
  if (!isWhole || !hasSuite) return undefined;
  return hasCase ? counts : claimed;
}

function addClaims(claimed: Record<keyof TestCounts, number>, attributes: ReadonlyMap<string, string>): void {
  const numberOf = (name: string): number => Number(attributes.get(name) ?? 0) || 0;
  const failed = numberOf("failures") + numberOf("errors");
  const skipped = numberOf("skipped") + numberOf("disabled");
  claimed.failed += failed;
  claimed.skipped += skipped;
  claimed.passed += Math.max(0, numberOf("tests") - failed - skipped);
}
