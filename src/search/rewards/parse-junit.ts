import type { TestCounts } from "./test-counts.ts";
import { scanXml } from "./scan-xml.ts";

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
