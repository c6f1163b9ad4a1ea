import { describe, expect, it } from "vitest";
import { formatCard } from "./card.ts";
import { formatList } from "./list.ts";
import { formatPatch } from "./patch.ts";
import { formatTable, type Table } from "./table.ts";
import { describeTerminal } from "./terminal.ts";
import { formatTree, type TreeNode } from "./tree.ts";

const pipe = describeTerminal({ stdin: {}, stdout: {}, env: {} });

function terminal(columns: number, env: Readonly<Record<string, string>> = { NO_COLOR: "1" }) {
  return describeTerminal({ stdin: { isTTY: true }, stdout: { isTTY: true, columns }, env });
}

const TABLE: Table = {
  columns: [
    { name: "Id" },
    { name: "Cost", align: "right" },
    { name: "Reward", align: "right" },
    { name: "Prompt", narrow: "cut", leastColumns: 14 },
    { name: "Tools", narrow: "drop" },
  ],
  rows: [
    ["a1", "$12.00", "", "fix the parser of dates", "Read Edit×2"],
    ["b2", "$0.10", "", "日本語の\ntext", ""],
  ],
  total: ["", "$12.10", "", "2 turns", ""],
};

describe("formatTable", () => {
  it("has headers and sums, numbers to the right, no column without content, and cuts nothing in a pipe", () => {
    expect(formatTable(TABLE, pipe)).toBe(
      [
        "  Id    Cost  Prompt                   Tools",
        "  a1  $12.00  fix the parser of dates  Read Edit×2",
        "  b2   $0.10  日本語の text",
        "      ──────  ───────────────────────",
        "      $12.10  2 turns",
        "",
      ].join("\n"),
    );
  });

  it("cuts what may be cut, then leaves out what may be left out", () => {
    expect(formatTable({ ...TABLE, total: undefined }, terminal(42))).toBe(
      [
        "  Id    Cost  Prompt           Tools",
        "  a1  $12.00  fix the parser…  Read Edit×2",
        "  b2   $0.10  日本語の text",
        "",
      ].join("\n"),
    );
    expect(formatTable({ ...TABLE, total: undefined }, terminal(32))).toBe(
      ["  Id    Cost  Prompt", "  a1  $12.00  fix the parser of…", "  b2   $0.10  日本語の text", ""].join("\n"),
    );
  });

  it("wraps at words, the other cells of the row standing at the top", () => {
    const table: Table = {
      columns: [{ name: "Name" }, { name: "What it does", narrow: "wrap" }],
      rows: [["Bash", "runs a command in a shell"]],
    };
    expect(formatTable(table, terminal(24))).toBe(
      ["  Name  What it does", "  Bash  runs a command", "        in a shell", ""].join("\n"),
    );
  });

  it("lets no cell steer the terminal", () => {
    const table: Table = { columns: [{ name: "" }], rows: [["a\u001b[2Jb\r\u0007c"]] };
    expect(formatTable(table, terminal(20))).toBe("  abc\n");
  });
});

it("wraps the values of a card in their column", () => {
  const rows = [["Files", "+ src/a.ts", "~ a line that is longer"], ["None"], ["Cost", "$0.10"]] as const;
  expect(formatCard(rows, terminal(30))).toBe(
    ["  Files  + src/a.ts", "         ~ a line that is", "         longer", "  Cost   $0.10", ""].join("\n"),
  );
  expect(formatCard([["None"]], pipe)).toBe("");
});

it("draws a tree from its top down; what does not part goes straight down", () => {
  const leaf = (text: string) => ({ text, children: [] });
  const left = { text: "left", children: [{ text: "on", children: [leaf("one"), leaf("two")] }] };
  expect(formatTree([{ text: "top", children: [left, leaf("right")] }, leaf("other")], pipe)).toBe(
    ["  top", "  ├─ left", "  │  on", "  │  ├─ one", "  │  ╰─ two", "  ╰─ right", "  other", ""].join("\n"),
  );
});

it("draws a tree that is deeper than a stack", () => {
  let node: TreeNode = { text: "end", children: [] };
  for (let depth = 0; depth < 20_000; depth += 1) node = { text: "", children: [node] };
  expect(formatTree([node], pipe).split("\n").length).toBe(20_002);
});

it("lists items with their marks, wrapped below them", () => {
  const items = ["one two three four five", { mark: "✓", text: "done", notes: ["in 3 ms"] }];
  expect(formatList(items, terminal(24))).toBe(
    ["  - one two three four", "    five", "  ✓ done", "    in 3 ms", ""].join("\n"),
  );
});

it("colours a patch on a terminal, and leaves every byte of it elsewhere", () => {
  const patch = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\u0007\n+b\n";
  expect(formatPatch(patch, pipe)).toBe(patch);
  const coloured = formatPatch(patch, terminal(80, {}));
  expect(coloured).toContain("\u001b[31m-a\u001b[39m\n\u001b[32m+b\u001b[39m");
});

it("shortens the ids of a patch on a terminal, and nothing else of it", () => {
  const [one, two] = ["1".repeat(40), "2".repeat(40)];
  const patch = `diff --git a/x b/x\nindex ${one}..${two} 100644\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-index ${one}\n+b\n`;
  expect(formatPatch(patch, terminal(80)).split("\n").slice(1, 6)).toEqual([
    `index ${"1".repeat(12)}..${"2".repeat(12)} 100644`,
    "--- a/x",
    "+++ b/x",
    "@@ -1 +1 @@",
    `-index ${one}`,
  ]);
});

it("knows what a terminal can show", () => {
  expect([terminal(60).columns, pipe.columns, terminal(0).columns]).toEqual([60, Number.POSITIVE_INFINITY, 80]);
  const locales = [{}, { LANG: "en_US.UTF-8" }, { LANG: "C" }, { LANG: "C", LC_ALL: "C.utf8" }, { LC_ALL: "de_DE" }];
  expect(locales.map((env) => terminal(80, env).isUnicode)).toEqual([true, true, false, true, false]);
});
