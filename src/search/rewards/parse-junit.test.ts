import { describe, expect, it } from "vitest";
import { parseJunit } from "./test-reports.ts";

/** As vitest 4 wrote it, shortened. */
const VITEST = `<?xml version="1.0" encoding="UTF-8" ?>
<testsuites name="vitest tests" tests="5" failures="2" errors="0" time="0.010128619">
    <testsuite name="b.test.mjs" tests="4" failures="1" errors="0" skipped="2" time="0.010128619">
        <testcase classname="b.test.mjs" name="suite &lt;&amp;&gt; &gt; passes" time="0.002281305">
        </testcase>
        <testcase classname="b.test.mjs" name="suite &lt;&amp;&gt; &gt; fails &quot;so&quot;" time="0.006085193">
            <failure message="expected &apos;&lt;a&gt;&apos; to be &apos;]]&gt;&apos;" type="AssertionError">
AssertionError: expected &apos;&lt;a&gt;&apos; to be &apos;]]&gt;&apos;
            </failure>
        </testcase>
        <testcase classname="b.test.mjs" name="suite &gt; skipped" time="0">
            <skipped/>
        </testcase>
        <testcase classname="b.test.mjs" name="suite &gt; todo" time="0">
            <skipped/>
        </testcase>
    </testsuite>
    <testsuite name="c.test.mjs" tests="1" failures="1" errors="0" skipped="0" time="0">
        <testcase classname="c.test.mjs" name="c.test.mjs" time="0">
            <failure message="cannot be loaded" type="Error"></failure>
        </testcase>
    </testsuite>
</testsuites>
`;

describe("parseJunit", () => {
  it("counts test cases by what is inside of them", () => {
    expect(parseJunit(VITEST)).toEqual({ passed: 1, failed: 2, skipped: 2 });
  });

  it("counts a case with a failure and an error once, and passes over output, comments and CDATA", () => {
    const text = `<!-- <testcase> --><testsuite tests='3'>
      <properties><property name="a" value="1"/></properties>
      <testcase name="a > b"/>
      <testcase name="c"><failure/><error type="x"><![CDATA[<skipped/>]]></error></testcase>
      <testcase name="d"><system-out><![CDATA[<failure> ]] > ]]></system-out></testcase>
      <system-err>error</system-err>
    </testsuite>`;
    expect(parseJunit(text)).toEqual({ passed: 2, failed: 1, skipped: 0 });
  });

  it("takes a suite's own numbers where it lists no cases", () => {
    expect(parseJunit('<testsuite tests="9" failures="2" errors="1" skipped="3"/>')).toEqual({
      passed: 3,
      failed: 3,
      skipped: 3,
    });
  });

  it.each([
    "",
    "no XML",
    "<html></html>",
    VITEST.slice(0, -20),
    "<testsuite><testcase></testsuite>",
    "<testsuite><testcase name=unquoted/></testsuite>",
    "<testsuite/><testsuite/>",
    "<testsuite><![CDATA[</testsuite>",
  ])("finds no report in %j", (text) => {
    expect(parseJunit(text)).toBeUndefined();
  });
});
