import { expect, it } from "vitest";
import { describeTerminal } from "../../../terminal/index.ts";
import { renderBody, renderHead } from "./render-call.ts";

const terminal = describeTerminal({ stdin: {}, stdout: { columns: 30 }, env: {} });

it("numbers the lines, marks changes, and shows a long line whole", () => {
  expect(
    renderBody(
      [{ text: "a\u001b[2K" }, { text: "b".repeat(30), change: "added" }, { text: "", change: "removed" }],
      terminal,
    ),
  ).toEqual(["  1 │ a\\x1b[2K", `  2 │+${"b".repeat(23)}`, `    ┆+${"b".repeat(7)}`, "  3 │-"]);
});

it("says who wants what, what is special about it, and why", () => {
  const call = {
    action: "run a command",
    warnings: ["Outside the sandbox, with the network"],
    isRisky: true,
    isConfined: false,
    facts: [{ name: "The agent says", value: "one\n\u202etwo" }],
    body: [],
  };
  expect(renderHead({ tool: "Ba\u001bsh", reasons: [{ name: "Why", value: "a rule" }], call }, terminal)).toEqual([
    "  Ba\\x1bsh wants to run a comm",
    "  and",
    "  ▲ Outside the sandbox, with",
    "  the network",
    "  The agent says  one",
    "                  \\u{202e}two",
    "  Why             a rule",
  ]);
});
