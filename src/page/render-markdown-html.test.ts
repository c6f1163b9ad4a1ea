import { performance } from "node:perf_hooks";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { renderMarkdownHtml } from "./render-markdown-html.ts";

describe("a Markdown text", () => {
  it.each([
    [
      "# One\nText *soft* **loud** ***both*** ~~gone~~ `a*b`",
      "<h3>One</h3>\n<p>Text <em>soft</em> <strong>loud</strong> <em><strong>both</strong></em> <del>gone</del> <code>a*b</code></p>",
    ],
    ["snake_case_name 2 * 3 * 4 and __init__", "<p>snake_case_name 2 * 3 * 4 and <strong>init</strong></p>"],
    ["a\\*b\\* `` ` `` &amp; &copy;", "<p>a*b* <code>`</code> &amp; ©</p>"],
    ["One  \ntwo\nthree", "<p>One  <br>\ntwo\nthree</p>"],
    ["Title\n=====\nSub\n---", "<h3>Title</h3>\n<h4>Sub</h4>"],
    ["> said\n> more\nlazy\n\nafter", "<blockquote><p>said\nmore\nlazy</p></blockquote>\n<p>after</p>"],
    [
      "```ts\nconst a = '<b>';\n```\nafter",
      '<div class="code"><span class="language">ts</span><pre tabindex="0"><code>const a = &#39;&lt;b&gt;&#39;;</code></pre></div>\n<p>after</p>',
    ],
    ["````\n```\n````", '<div class="code"><pre tabindex="0"><code>```</code></pre></div>'],
    ["```\nnever closed", '<div class="code"><pre tabindex="0"><code>never closed</code></pre></div>'],
    [
      "- a\n  - b\n    1. c\n- d",
      "<ul>\n<li>a\n<ul>\n<li>b\n<ol>\n<li>c</li>\n</ol></li>\n</ul></li>\n<li>d</li>\n</ul>",
    ],
    ["3. a\n4. b\n\n5. c", '<ol start="3">\n<li><p>a</p></li>\n<li><p>b</p></li>\n<li><p>c</p></li>\n</ol>'],
    [
      "1. a\n   ```\n   x\n   ```\n2. b",
      '<ol>\n<li>a\n<div class="code"><pre tabindex="0"><code>x</code></pre></div></li>\n<li>b</li>\n</ol>',
    ],
    [
      "- [x] done\n- [ ] not",
      '<ul>\n<li class="task"><span class="box" role="img" aria-label="done">☑</span> done</li>\n<li class="task"><span class="box" role="img" aria-label="to do">☐</span> not</li>\n</ul>',
    ],
    [
      "| a | b |\n|---|--:|\n| 1 \\| 2 | `x` |\n| 3 |",
      '<div class="scroll" tabindex="0"><table><thead><tr><th>a</th><th class="right">b</th></tr></thead><tbody>\n<tr><td>1 | 2</td><td class="right"><code>x</code></td></tr>\n<tr><td>3</td><td class="right"></td></tr>\n</tbody></table></div>',
    ],
    ["In 2026. was\n7. not a list", "<p>In 2026. was\n7. not a list</p>"],
    ["a\n***\nb", "<p>a</p>\n<hr>\n<p>b</p>"],
    ["<svg:rect> <a@b.test", "<p>&lt;svg:rect&gt; &lt;a@b.test</p>"],
    ["a &#x202e;b", "<p>a b</p>"],
    ["    code\n\n    more", '<div class="code"><pre tabindex="0"><code>code\n\nmore</code></pre></div>'],
  ])("%j is shown as it is meant", (text, html) => {
    expect(renderMarkdownHtml(text)).toBe(html);
  });

  it("keeps the lines of a prompt, and what is indented in them", () => {
    expect(renderMarkdownHtml("a {\n  b\n}", { breaks: true })).toBe("<p>a {<br>  b<br>}</p>");
  });

  it("links to the web and to mail, and names every other target without leading there", () => {
    const link = (href: string, text: string): string =>
      `<a href="${href}" title="${href}" rel="noopener noreferrer nofollow">${text}</a>`;
    expect(renderMarkdownHtml("[a *b*](https://x.test/p?a=1&b=2) https://y.test/q. <mailto:a@b.test>")).toBe(
      `<p>${link("https://x.test/p?a=1&amp;b=2", "a <em>b</em>")} ${link("https://y.test/q", "https://y.test/q")}. ${link("mailto:a@b.test", "mailto:a@b.test")}</p>`,
    );
    for (const target of [
      "javascript:alert(1)",
      "JaVaScRiPt:x",
      "data:text/html,x",
      "file:///etc/passwd",
      "vbscript:x",
      "src/a.ts",
      "//evil.test/x",
      "#turn-1",
      "blob:x",
    ]) {
      expect([target, renderMarkdownHtml(`[click](${target})`)]).toEqual([
        target,
        `<p><span class="inert" title="${target}">click</span></p>`,
      ]);
    }
    expect(renderMarkdownHtml("[click](java\nscript:alert(1))")).not.toContain("<a ");
  });

  it("tells where a link leads that says something else", () => {
    expect(renderMarkdownHtml("[https://bank.test](https://evil.test/x)")).toContain(
      '</a> <span class="inert">(evil.test)</span>',
    );
    expect(renderMarkdownHtml("<https://bank.test@evil.test/x>")).toContain('<span class="inert">(evil.test)</span>');
    expect(renderMarkdownHtml("[the docs](https://docs.test/x)")).not.toContain("inert");
  });

  it("hides no text in the definition of a link", () => {
    expect(renderMarkdownHtml("[//]: # (hidden)")).toBe("<p>[//]: # (hidden)</p>");
  });

  it("puts no link into a link", () => {
    expect(renderMarkdownHtml("[a <https://x.test> ![b](https://y.test)](https://z.test)").match(/<a /gu)).toHaveLength(
      1,
    );
  });

  it("loads no picture", () => {
    expect(renderMarkdownHtml("![a](https://evil.test/p.png) ![b](data:image/svg+xml,x)")).not.toMatch(/<img|src=/u);
  });
});

/** Every tag that a text may lead to, and nothing else in it but the attributes that are ours. */
const TAGS = new RegExp(
  `^<(?:/?(?:p|h[3-6]|ul|li|blockquote|strong|em|del|code|table|thead|tbody|tr|div|span|pre|a|th|td|ol)|br|hr|${[
    'ol start="\\d{1,9}"',
    'li class="task"',
    'div class="(?:code|scroll)"(?: tabindex="0")?',
    'pre tabindex="0"',
    't[hd] class="(?:left|right|center)"',
    'span class="language"',
    'span class="box" role="img" aria-label="(?:done|to do)"',
    'span class="inert"(?: title="[^"<>]*")?',
    'a href="(?:https?://|mailto:)[^"<>\\s]*" title="[^"<>]*" rel="noopener noreferrer nofollow"',
  ].join("|")})>$`,
  "u",
);

/** Whether all there is in a page is ours: whole tags that open and close in order, and no sign of others between them. */
function faultsOf(html: string): readonly string[] {
  const open: string[] = [];
  const faults: string[] = [];
  for (const [tag] of html.matchAll(/<[^>]*>?/gu)) {
    if (!TAGS.test(tag)) faults.push(tag);
    const name = /^<\/?([a-z0-9]+)/u.exec(tag)?.[1] ?? "";
    if (name === "br" || name === "hr") continue;
    if (!tag.startsWith("</")) open.push(name);
    else if (open.pop() !== name) faults.push(`unpaired ${tag}`);
  }
  return [...faults, ...open];
}

const PIECES = [
  "<script>alert(1)</script>",
  "<img src=x onerror=alert(1)>",
  "javascript:",
  "](",
  "[",
  "]",
  "![",
  "(",
  ")",
  "<",
  ">",
  '"',
  "'",
  "&",
  "&lt;",
  "&#x6a;",
  "`",
  "```",
  "*",
  "**",
  "_",
  "~~",
  "\n",
  "\n\n",
  "  ",
  "    ",
  "- ",
  "1. ",
  "> ",
  "# ",
  "|",
  "|---|",
  "---",
  "===",
  "\\",
  "a",
  "https://x.test/",
  "<https://",
  "data:text/html,",
  '" onmouseover="x',
  "\u0000",
  "\u202e",
  "\u001b[31m",
  "</code>",
  "</a>",
  "]: ",
  "é",
  "\ud800",
  "\t",
  "\r",
  "[x] ",
  "mailto:",
];

describe("a hostile text", () => {
  it("becomes nothing but our own tags, opened and closed in order", () => {
    const text = fc.array(
      fc.oneof({ weight: 8, arbitrary: fc.constantFrom(...PIECES) }, { weight: 1, arbitrary: fc.string() }),
      { maxLength: 40 },
    );
    fc.assert(
      fc.property(text, fc.boolean(), (pieces, breaks) => {
        expect(faultsOf(renderMarkdownHtml(pieces.join(""), { breaks }))).toEqual([]);
      }),
      { numRuns: 5000 },
    );
  });

  it.each([
    "[",
    "![",
    "](",
    "[](",
    "*",
    "*a ",
    "**a* ",
    "_a_ ",
    "`",
    "` `` ",
    "<",
    "<https://",
    "> ",
    "- ",
    "1. ",
    "  - a\n",
    "|",
    "|a",
    "|-",
    "\\",
    "&",
    "~~a ",
    "a*",
    "[a](b) ",
    "\n",
    "# ",
    "a\n\n",
    "```\n",
    ">>",
    "    ",
    "=\n",
    "https://a.b/(",
  ])("of %j over and over takes no longer than others", (piece) => {
    const started = performance.now();
    const html = renderMarkdownHtml(piece.repeat(Math.ceil(190_000 / piece.length)));
    expect(performance.now() - started).toBeLessThan(10_000);
    expect(faultsOf(html)).toEqual([]);
  });

  it.each([
    ["pictures in pictures", "![".repeat(20_000) + "](x)".repeat(20_000)],
    ["emphasis in emphasis", "*a **a ".repeat(10_000) + "b** b*".repeat(10_000)],
    ["a table of empty cells", `${"|a".repeat(10_000)}\n${"|-".repeat(10_000)}\n${"|a\n".repeat(10_000)}`],
  ])("of %s takes no longer than others", (_, text) => {
    const started = performance.now();
    expect(faultsOf(renderMarkdownHtml(text))).toEqual([]);
    expect(performance.now() - started).toBeLessThan(10_000);
  });

  it("does not nest without an end", () => {
    const quotes = renderMarkdownHtml("> ".repeat(50_000) + "x");
    expect(quotes.match(/<blockquote>/gu)).toHaveLength(16);
    expect(quotes).toContain("&gt; x</p>");
    const list = Array.from({ length: 400 }, (_, depth) => `${"  ".repeat(depth)}- x`).join("\n");
    expect(renderMarkdownHtml(list).match(/<ul>/gu)?.length).toBeLessThanOrEqual(16);
  });
});
