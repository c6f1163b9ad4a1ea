import { describe, expect, it } from "vitest";
import { parseTap } from "./test-reports.ts";

describe("parseTap", () => {
  it("takes the summary of node --test, which knows the tests inside of suites", () => {
    const text = [
      "TAP version 13",
      "ok 1 - passes",
      "not ok 2 - fails",
      "# Subtest: suite",
      "    ok 1 - inner passes",
      "    ok 2 - inner skipped # SKIP",
      "    ok 3 - todo # TODO",
      "    1..3",
      "ok 3 - suite",
      "1..3",
      "# tests 6",
      "# suites 1",
      "# pass 2",
      "# fail 1",
      "# cancelled 1",
      "# skipped 1",
      "# todo 1",
      "# duration_ms 588.746269",
    ];
    expect(parseTap(text.join("\n"))).toEqual({ passed: 2, failed: 2, skipped: 2 });
  });

  it("counts the outermost lines where there is no summary", () => {
    const text =
      "1..5\nok 1 - one\nnot ok 2 two\n    not ok 1 - inner\nok 3 # skip no network\nnot ok 4 - later # TODO\nok 5\n";
    expect(parseTap(text)).toEqual({ passed: 2, failed: 1, skipped: 2 });
  });

  it("counts tests of the plan that never came as failed", () => {
    expect(parseTap("1..4\nok 1\nBail out! no database\n")).toEqual({ passed: 1, failed: 3, skipped: 0 });
    expect(parseTap("ok 1\nBail out!\n")).toEqual({ passed: 1, failed: 1, skipped: 0 });
  });

  it("finds no report in another text", () => {
    expect(parseTap("")).toBeUndefined();
    expect(parseTap("Error: no such file\n# pass the salt\n")).toBeUndefined();
  });
});
