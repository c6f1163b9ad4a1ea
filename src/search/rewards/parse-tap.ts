import type { TestCounts } from "./test-counts.ts";

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
