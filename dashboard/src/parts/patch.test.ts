import { describe, expect, it } from "vitest";
import { diffRows } from "./diff-rows.ts";
import { changedWords, editedFile } from "./line-diff.ts";
import { parsePatch } from "./patch.ts";

const PATCH = `diff --git a/src/a.ts b/src/a.ts
index 1..2 100644
--- a/src/a.ts
+++ b/src/a.ts
@@ -1,4 +1,4 @@ function a()
 one
-two
---three
+2
+++3
 four
\\ No newline at end of file
diff --git a/old name.md b/new name.md
similarity index 100%
rename from old name.md
rename to new name.md
diff --git a/pic.png b/pic.png
new file mode 100644
Binary files /dev/null and b/pic.png differ
diff --git "a/\\303\\244.txt" "b/\\303\\244.txt"
deleted file mode 100644
--- "a/\\303\\244.txt"
+++ /dev/null
@@ -1 +0,0 @@
-gone
`;

describe("a patch", () => {
  it("is files with what became of them, by git's words", () => {
    expect(parsePatch(PATCH).map(({ hunks: _hunks, ...file }) => file)).toEqual([
      { path: "src/a.ts", from: undefined, change: "modified", isBinary: false, added: 2, removed: 2 },
      { path: "new name.md", from: "old name.md", change: "renamed", isBinary: false, added: 0, removed: 0 },
      { path: "pic.png", from: undefined, change: "created", isBinary: true, added: 0, removed: 0 },
      { path: "ä.txt", from: undefined, change: "deleted", isBinary: false, added: 0, removed: 1 },
    ]);
  });

  it("numbers its lines on both sides, and takes no line of a hunk for a header", () => {
    const [hunk] = parsePatch(PATCH)[0]?.hunks ?? [];
    expect(hunk?.lines.map(({ type, text, oldLine, newLine }) => [type, text, oldLine, newLine])).toEqual([
      ["same", "one", 1, 1],
      ["removed", "two", 2, undefined],
      ["removed", "--three", 3, undefined],
      ["added", "2", undefined, 2],
      ["added", "++3", undefined, 3],
      ["same", "four", 4, 4],
    ]);
    expect(hunk?.lines[2]?.pair).toBe("++3");
  });

  it("is read without git's words too, and nothing is made of what is none", () => {
    expect(parsePatch("--- a.txt\t2026\n+++ a.txt\t2026\n@@ -1 +1 @@\n-a\n+b\n")).toMatchObject([
      { path: "a.txt", added: 1, removed: 1 },
    ]);
    expect(parsePatch("<script>\n@@ -1 +1 @@\n")).toEqual([]);
    expect(parsePatch("")).toEqual([]);
  });

  it("stands side by side: what was removed left of what came for it", () => {
    const rows = diffRows(parsePatch(PATCH).slice(0, 1), { mode: "split" });
    expect(rows.map((row) => (row.type === "pair" ? [row.left?.text, row.right?.text] : row.type))).toEqual([
      "file",
      ["one", "one"],
      ["two", "2"],
      ["--three", "++3"],
      ["four", "four"],
    ]);
  });

  // What took quadratic time would not end within the time that a test has.
  it("is read with a hundred thousand lines", () => {
    const lines = Array.from({ length: 100_000 }, (_, line) => `+line ${line}`);
    const [file] = parsePatch(`--- /dev/null\n+++ b/big\n@@ -0,0 +1,100000 @@\n${lines.join("\n")}\n`);
    expect(file).toMatchObject({ change: "created", added: 100_000 });
  });
});

describe("an edit", () => {
  it("is a file with the lines that changed", () => {
    const { hunks, ...file } = editedFile("a\nb\nc\n", "a\nB\nc\n", "x.ts");
    expect(file).toEqual({ path: "x.ts", from: undefined, change: "modified", isBinary: false, added: 1, removed: 1 });
    expect(hunks[0]?.lines.map(({ type, text }) => [type, text])).toEqual([
      ["same", "a"],
      ["removed", "b"],
      ["added", "B"],
      ["same", "c"],
    ]);
  });

  it("marks the words that changed, and none where hardly anything is the same", () => {
    expect(changedWords("return a + b;", "return a - b;")).toEqual([
      ["return a ", false],
      ["+", true],
      [" b;", false],
    ]);
    expect(changedWords("something else", "return a - b;")).toBeUndefined();
    expect(changedWords("x".repeat(100_000), "y")).toBeUndefined();
  });
});
