import { describe, expect, it } from "vitest";
import { parseMarkdown, type MarkdownNode } from "./markdown-tree.ts";

function find(nodes: readonly MarkdownNode[], tag: string): readonly Exclude<MarkdownNode, string>[] {
  return nodes.flatMap((node) =>
    typeof node === "string" ? [] : [...(node.tag === tag ? [node] : []), ...find(node.children, tag)],
  );
}

function textOf(nodes: readonly MarkdownNode[]): string {
  return nodes.map((node) => (typeof node === "string" ? node : textOf(node.children))).join("");
}

describe("Markdown", () => {
  it("is read as elements, tight lists without paragraphs, code with its language", () => {
    expect(parseMarkdown("# Hi *you*\n\n3. one\n4. two\n\n```ts\nlet a;\n```")).toEqual([
      { tag: "h1", children: ["Hi ", { tag: "em", children: ["you"] }] },
      {
        tag: "ol",
        start: 3,
        children: [
          { tag: "li", children: ["one"] },
          { tag: "li", children: ["two"] },
        ],
      },
      { tag: "pre", language: "ts", children: ["let a;"] },
    ]);
  });

  it("reads tables with what stands right", () => {
    const [cell] = find(parseMarkdown("| a | b |\n|---|--:|\n| 1 | 2 |"), "td").slice(1);
    expect(cell).toEqual({ tag: "td", align: "right", children: ["2"] });
  });

  it("leaves HTML as text", () => {
    const nodes = parseMarkdown('<script>alert(1)</script>\n\n<img src=x onerror="alert(1)"> and <b>bold</b>');
    expect(find(nodes, "script")).toEqual([]);
    expect(find(nodes, "img")).toEqual([]);
    expect(textOf(nodes)).toContain("<script>alert(1)</script>");
  });

  it.each([
    "[a](javascript:alert(1))",
    "[a](JaVaScRiPt:alert(1))",
    "[a](&#106;avascript:alert(1))",
    "[a](data:text/html,<script>alert(1)</script>)",
    "[a](vbscript:x)",
    "[a](file:///etc/passwd)",
    "[a](/api/runs)",
    "[a](//evil.example)",
    "<javascript:alert(1)>",
    "[a][b]\n\n[b]: javascript:alert(1)",
  ])("makes no link of %s", (text) => {
    expect(find(parseMarkdown(text), "a")).toEqual([]);
  });

  it("links to the web and to mail", () => {
    const nodes = parseMarkdown("[a](https://example.com/?a=1&b=2) <mailto:a@example.com>");
    expect(find(nodes, "a").map(({ href }) => href)).toEqual(["https://example.com/?a=1&b=2", "mailto:a@example.com"]);
  });

  it("loads no picture from anywhere", () => {
    expect(find(parseMarkdown("![track](https://evil.example/p.png)"), "img")).toEqual([]);
  });

  it("writes out what turns the direction of the text, and takes a terminal's colours away", () => {
    expect(textOf(parseMarkdown("a\u202Eb \u001B[31mred\u001B[0m \uD800"))).toBe("a\\u{202e}b red \\u{d800}");
  });

  // What took quadratic time would not end within the time that a test has.
  it("reads a line of a megabyte, and what nests and opens a hundred thousand times", () => {
    expect(textOf(parseMarkdown("word ".repeat(200_000)))).toHaveLength(999_999);
    expect(textOf(parseMarkdown("[".repeat(100_000)))).toHaveLength(100_000);
    expect(parseMarkdown("> ".repeat(5000))).toHaveLength(1);
    expect(textOf(parseMarkdown("*a ".repeat(100_000)))).toHaveLength(299_999);
  });
});
