import { describe, expect, it } from "vitest";
import { editsElsewhere, fileEdits, rebuildFiles } from "./rebuild.ts";

const call = (tool: string, input: unknown, about = {}) => ({
  tool,
  input,
  is_error: false,
  is_denied: false,
  is_open: false,
  ...about,
});

describe("the files within a turn", () => {
  const before = new Map([["a.txt", "one two one\n"]]);
  const rebuilt = (...calls: ReturnType<typeof call>[]) => rebuildFiles(before, fileEdits(calls, "/w/"));

  it("are rebuilt of the edits of file tools, in their order", () => {
    expect(
      rebuilt(
        call("Write", { file_path: "/w/src/new.ts", content: "a\n" }),
        call("Edit", { file_path: "/w/a.txt", old_string: "one", new_string: "1" }),
        call("MultiEdit", {
          file_path: "/w/src/new.ts",
          edits: [
            { old_string: "a", new_string: "b" },
            { old_string: "b", new_string: "$&" },
          ],
        }),
        call("Bash", { command: "rm a.txt" }),
      ),
    ).toEqual([
      { path: "src/new.ts", before: "", after: "$&\n", isWhole: true },
      { path: "a.txt", before: "one two one\n", after: "1 two one\n", isWhole: true },
    ]);
  });

  it("have an edit everywhere where it says so", () => {
    const input = { file_path: "/w/a.txt", old_string: "one", new_string: "$1", replace_all: true };
    expect(rebuilt(call("Edit", input))[0]?.after).toBe("$1 two $1\n");
  });

  it("leave out calls that failed, were denied or have no end, and files elsewhere", () => {
    const input = { file_path: "/w/a.txt", content: "x" };
    const calls = [{ is_error: true }, { is_denied: true }, { is_open: true }].map((about) =>
      call("Write", input, about),
    );
    expect(fileEdits([...calls, call("Write", { file_path: "/etc/passwd", content: "x" })], "/w")).toEqual([]);
    expect(fileEdits([call("Write", { file_path: "/w2/x", content: "x" }), call("Write", {})], "/w")).toEqual([]);
    const elsewhere = [call("Write", { file_path: "/w2/x", content: "x" }), call("Edit", { file_path: "/w2/x" })];
    expect(editsElsewhere([...calls, ...elsewhere, call("Write", { file_path: "/w/b.txt" })], "/w")).toBe(1);
  });

  it("say so where an edit does not fit: a command changed the file in between", () => {
    const [file] = rebuilt(call("Edit", { file_path: "/w/a.txt", old_string: "three", new_string: "3" }));
    expect(file).toEqual({ path: "a.txt", before: "one two one\n", after: "one two one\n", isWhole: false });
  });

  it("have the cells of a notebook replaced, put in and taken out", () => {
    const notebook = JSON.stringify({ cells: [{ id: "x", cell_type: "code", source: ["a"] }], nbformat: 4 });
    const edit = (input: object) => ({ tool: "NotebookEdit", path: "n.ipynb", input: { ...input } });
    const [file] = rebuildFiles(new Map([["n.ipynb", notebook]]), [
      edit({ cell_id: "x", new_source: "b\nc" }),
      edit({ cell_id: "x", new_source: "# d", edit_mode: "insert", cell_type: "markdown" }),
      edit({ cell_id: "cell-0", new_source: "", edit_mode: "delete" }),
    ]);
    expect(file?.isWhole).toBe(true);
    expect(JSON.parse(file?.after ?? "")).toEqual({
      cells: [{ cell_type: "markdown", metadata: {}, source: ["# d"] }],
      nbformat: 4,
    });
    expect(rebuildFiles(new Map([["n.ipynb", "no json"]]), [edit({ cell_id: "x", new_source: "" })])[0]?.isWhole).toBe(
      false,
    );
  });
});
