// Reads vitest's JSON report: prints `N passed, M failed`, and fails when a test failed or was left out.
import { existsSync, readFileSync } from "node:fs";

const [reportFile] = process.argv.slice(2);
if (!existsSync(reportFile)) {
  console.error("the tests left no report: they did not come to their end");
  process.exit(1);
}
const report = JSON.parse(readFileSync(reportFile, "utf8"));

// A file that could not be loaded has no tests in it, and counts as one failure.
const brokenFiles = report.testResults.filter(
  ({ status, assertionResults }) => status === "failed" && assertionResults.length === 0,
);
const leftOut = report.testResults.flatMap(({ name, assertionResults }) =>
  assertionResults
    .filter(({ status }) => status !== "passed" && status !== "failed")
    .map(({ status, fullName }) => `${status}: ${name}: ${fullName}`),
);
const failed = report.numFailedTests + brokenFiles.length;

for (const line of leftOut) console.error(line);
if (leftOut.length > 0) console.error(`${leftOut.length} tests were left out; here all must run`);
console.log(`${report.numPassedTests} passed, ${failed} failed`);
if (failed > 0 || leftOut.length > 0 || report.numPassedTests === 0 || !report.success) process.exitCode = 1;
