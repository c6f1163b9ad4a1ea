// After a run of vitest that failed: runs the files that failed once more, alone, and says which tests are unsteady.
// Usage: run-again.mjs REPORT [what vitest is given besides]. What fails twice fails; so does a run that broke in many places.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { relative } from "node:path";

/** More files than this do not fail because the machine was busy. */
const MOST_FILES = 3;

const [reportFile, ...given] = process.argv.slice(2);
if (!existsSync(reportFile)) fail("the tests left no report: they did not come to their end");
const report = JSON.parse(readFileSync(reportFile, "utf8"));
const broken = report.testResults.filter(({ status }) => status === "failed");
const files = broken.map(({ name }) => relative(process.cwd(), name));
if (files.length === 0) fail("the tests failed, and no file of them says why");
if (files.length > MOST_FILES) fail(`${files.length} files failed, which no second run excuses`);

console.log(`once more, alone: ${files.join(", ")}`);
const again = `${reportFile}.again`;
const { status } = spawnSync("npx", ["vitest", "run", ...given, ...files], {
  stdio: "inherit",
  env: { ...process.env, SKEIN_TEST_REPORT: again },
});
if (status !== 0) fail("what failed has failed again");
const second = JSON.parse(readFileSync(again, "utf8"));
for (const { name, assertionResults } of broken) {
  if (!second.testResults.some((result) => result.name === name && result.status === "passed"))
    fail(`${name} was not run again`);
  for (const test of assertionResults)
    if (test.status === "failed") console.log(`unsteady, mend it: ${relative(process.cwd(), name)}: ${test.fullName}`);
}
writeFileSync(reportFile, JSON.stringify(together(report, second)));

/** The report of both runs: of a file that was run twice, what it came to the second time. */
function together(first, later) {
  const results = first.testResults.map(
    (result) => later.testResults.find(({ name }) => name === result.name) ?? result,
  );
  const count = (wanted) =>
    results.flatMap((result) => result.assertionResults).filter((test) => test.status === wanted).length;
  return {
    ...first,
    testResults: results,
    numPassedTests: count("passed"),
    numFailedTests: count("failed"),
    success: true,
  };
}

function fail(message) {
  console.error(`run-again: ${message}`);
  process.exit(1);
}
