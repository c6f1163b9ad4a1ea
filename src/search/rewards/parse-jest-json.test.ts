import { describe, expect, it } from "vitest";
import { parseJestJson } from "./test-reports.ts";

/** What vitest 4 wrote about a file with four tests and one that could not be loaded, shortened. */
const VITEST = {
  numTotalTestSuites: 3,
  numFailedTestSuites: 3,
  numTotalTests: 4,
  numPassedTests: 1,
  numFailedTests: 1,
  numPendingTests: 1,
  numTodoTests: 1,
  success: false,
  testResults: [
    {
      assertionResults: [
        { fullName: "suite <&> passes", status: "passed", failureMessages: [] },
        { fullName: 'suite <&> fails "so"', status: "failed", failureMessages: ["AssertionError: expected '<a>'"] },
        { fullName: "suite <&> skipped", status: "skipped", failureMessages: [] },
        { fullName: "suite <&> todo", status: "todo", failureMessages: [] },
      ],
      status: "failed",
      message: "",
      name: "/tmp/b.test.mjs",
    },
    { assertionResults: [], status: "failed", message: "cannot be loaded", name: "/tmp/c.test.mjs" },
  ],
};

describe("parseJestJson", () => {
  it("counts tests, and a file that could not be run as one that failed", () => {
    expect(parseJestJson(JSON.stringify(VITEST))).toEqual({ passed: 1, failed: 2, skipped: 2 });
  });

  it("finds the report between other lines", () => {
    const text = `> app@1.0.0 test\n> vitest run\n\n{ not: json }\n${JSON.stringify(VITEST)}\nnpm notice {\n`;
    expect(parseJestJson(text)).toEqual({ passed: 1, failed: 2, skipped: 2 });
    expect(parseJestJson(`banner\n${JSON.stringify(VITEST, undefined, 2)}\n`)).toEqual({
      passed: 1,
      failed: 2,
      skipped: 2,
    });
  });

  it("finds no report in another text or another object", () => {
    expect(parseJestJson("")).toBeUndefined();
    expect(parseJestJson('{"error":"no tests"}')).toBeUndefined();
    expect(parseJestJson(JSON.stringify(VITEST).slice(0, -20))).toBeUndefined();
  });
});
