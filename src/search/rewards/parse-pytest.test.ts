import { describe, expect, it } from "vitest";
import { parsePytest } from "./test-reports.ts";

describe("parsePytest", () => {
  it.each([
    ["============================== 3 passed in 0.01s ===============================", [3, 0, 0]],
    ["=================== 1 failed, 2 passed in 1.23s ===================", [2, 1, 0]],
    [
      "==== 2 failed, 3 passed, 1 skipped, 4 deselected, 1 xfailed, 1 xpassed, 2 warnings, 1 error in 65.32s (0:01:05) ====",
      [5, 3, 1],
    ],
    ["=========== 5 passed, 2 rerun in 90061.00s (1 day, 1:01:01) ===========", [5, 0, 0]],
    ["2 passed in 0.01s", [2, 0, 0]],
    ["=== 2 errors in 0.05s ===", [0, 2, 0]],
    ["!!!!!!!! Interrupted: 1 error during collection !!!!!!!!\n=== 1 error in 0.05s ===", [0, 1, 0]],
    ["============ no tests ran in 0.00s ============", [0, 0, 0]],
    ["============ 3 deselected in 0.00s ============", [0, 0, 0]],
    [
      "\u001b[31m===== \u001b[31m\u001b[1m1 failed\u001b[0m, \u001b[32m1 passed\u001b[0m\u001b[31m in 0.02s\u001b[0m\u001b[31m =====\u001b[0m",
      [1, 1, 0],
    ],
    ["=== 1 passed in 0.01s ===\r\nsecond run\r\n=== 4 passed in 0.01s ===\r\n", [4, 0, 0]],
  ])("reads %j", (text, [passed, failed, skipped]) => {
    expect(parsePytest(`test_a.py ..F\n\n${text}\n`)).toEqual({ passed, failed, skipped });
  });

  it("finds no report in another text", () => {
    expect(parsePytest("bash: pytest: command not found\n")).toBeUndefined();
    expect(parsePytest("I waited: 3 passed in vain\n")).toBeUndefined();
  });
});
