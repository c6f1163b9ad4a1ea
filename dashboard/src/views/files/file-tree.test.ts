import { describe, expect, it } from "vitest";
import { createFileTree, fileRows, foldersAbove, type FileItem } from "./file-tree.ts";

const file = (path: string): FileItem => ({ path, kind: "file", mode: "644", size_bytes: 1 });

const files = ["README.md", "src/b.ts", "src/a.ts", "src/deep/x.ts"].map(file);

const changes = [
  { type: "modified", path: "src/a.ts", from: null },
  { type: "deleted", path: "src/deep/gone.ts", from: null },
] as const;

const lines = (isOpen: (path: string) => boolean) =>
  fileRows(createFileTree(files, [...changes]), isOpen).map(
    ({ level, name, isFolder, change, changed }) =>
      `${"  ".repeat(level)}${name}${isFolder ? `/ ${changed}` : ""}${change ? ` ${change}` : ""}`,
  );

describe("the tree of a state's files", () => {
  it("has folders before files, each by name, and what was deleted too", () => {
    expect(lines(() => true)).toEqual([
      "src/ 2",
      "  deep/ 1",
      "    gone.ts deleted",
      "    x.ts",
      "  a.ts modified",
      "  b.ts",
      "README.md",
    ]);
  });

  it("shows what is below open folders alone, and counts what is different in closed ones", () => {
    expect(lines(() => false)).toEqual(["src/ 2", "README.md"]);
    expect(lines((path) => path === "src")).toEqual(["src/ 2", "  deep/ 1", "  a.ts modified", "  b.ts", "README.md"]);
  });

  it("names the folders above a path", () => {
    expect(foldersAbove("a/b/c.ts")).toEqual(["a", "a/b"]);
    expect(foldersAbove("c.ts")).toEqual([]);
  });
});
