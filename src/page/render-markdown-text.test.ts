import { describe, expect, it } from "vitest";
import { describeTerminal, type Terminal } from "../terminal/index.ts";
import { createMarkdownStream } from "./markdown-stream.ts";
import { renderMarkdownText } from "./render-markdown-text.ts";

function terminalOf(columns: number, env: Readonly<Record<string, string>> = { NO_COLOR: "1" }): Terminal {
  return describeTerminal({ stdin: {}, stdout: { isTTY: true, columns }, env });
}

const TEXT = `# What was done

The **parser** reads \`package.json\` now, and the rest of this long sentence is wrapped at its words.

- one thing that is longer than a line of the terminal has room for
  - nested
- [x] done
3. three
4. [ ] four

> quoted by
> somebody

\`\`\`ts
const long = "a line of code stays in one piece, however long it is, to be copied";

run();
\`\`\`

| File | Lines |
| --- | ---: |
| \`a.ts\` | 12 |
| b.ts | 3 |

See [the guide](https://example.com/guide) or <https://example.com>.

---
![a picture](x.png)`;

describe("renderMarkdownText", () => {
  it("shows headings, prose, lists, quotes, code, tables and links in the columns there are", () => {
    expect(renderMarkdownText(TEXT, terminalOf(40))).toBe(`What was done

The parser reads package.json now, and
the rest of this long sentence is
wrapped at its words.

• one thing that is longer than a line
  of the terminal has room for
  • nested
[x] done

3. three
4. [ ] four

│ quoted by somebody

    const long = "a line of code stays in one piece, however long it is, to be copied";

    run();

  File  Lines
  a.ts     12
  b.ts      3

See the guide
(https://example.com/guide) or
https://example.com.

────────────────────────────────────────

[Image: a picture] (x.png)
`);
  });

  it("paints each word by itself, so that a broken line keeps its colours", () => {
    expect(renderMarkdownText("a **bold word** `code`", terminalOf(7, {}))).toBe(
      "a \u001b[1mbold\u001b[22m\n\u001b[1mword\u001b[22m\n\u001b[36mcode\u001b[39m\n",
    );
  });

  it("lets no text steer the terminal", () => {
    expect(renderMarkdownText("a\u001b[2Jb \u202ec `\u001b]0;t\u0007d`", terminalOf(80))).toBe("ab c d\n");
  });
});

describe("createMarkdownStream", () => {
  it("gives each block once, as soon as it is complete, whatever pieces it comes in", () => {
    const whole = renderMarkdownText(TEXT, terminalOf(60));
    for (const size of [1, 3, 7, 50, TEXT.length]) {
      const stream = createMarkdownStream(terminalOf(60));
      const blocks: string[] = [];
      for (let at = 0; at < TEXT.length; at += size) blocks.push(...stream.add(TEXT.slice(at, at + size)));
      blocks.push(...stream.end());
      expect(blocks.join("\n")).toBe(whole);
    }
  });

  it("waits for the end of a list or of code, and for no more than an empty line after prose", () => {
    const stream = createMarkdownStream(terminalOf(60));
    expect(
      ["One", " two.\n", "\n", "- a\n\n", "- b\n", "\n```\ncode\n\n", "more\n"].map((piece) => stream.add(piece)),
    ).toEqual([[], [], ["One two.\n"], [], [], ["• a\n\n• b\n"], []]);
    expect(stream.end()).toEqual(["    code\n\n    more\n"]);
    expect(stream.end()).toEqual([]);
  });
});
