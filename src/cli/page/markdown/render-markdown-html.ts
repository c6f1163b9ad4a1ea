import { plainText } from "../../plain-text.ts";
import { escapeHtml } from "../html-parts.ts";
import type { Block, ListBlock, TableBlock } from "./blocks.ts";
import { parseBlocks } from "./parse-blocks.ts";
import { renderInline, type InlineOptions } from "./render-inline.ts";

/** A longer text is shown as it is written: nobody reads it for its headings. */
const MOST_CHARACTERS = 200_000;

/** A Markdown text as HTML that is safe whoever wrote it: only tags of ours, links that lead to the web, nothing that loads. */
export function renderMarkdownHtml(text: string, options: InlineOptions = {}): string {
  if (text.length > MOST_CHARACTERS) return `<pre>${escapeHtml(text)}</pre>`;
  // Before it is taken apart: a colour of the terminal has a bracket in it.
  return renderBlocks(parseBlocks(plainText(text)), options);
}

function renderBlocks(blocks: readonly Block[], options: InlineOptions): string {
  return blocks.map((block) => renderBlock(block, options)).join("\n");
}

function renderBlock(block: Block, options: InlineOptions): string {
  switch (block.type) {
    case "heading": {
      // The page has headings of its own above these.
      const level = Math.min(6, block.level + 2);
      return `<h${level}>${renderInline(block.text)}</h${level}>`;
    }
    case "paragraph":
      return `<p>${renderInline(block.text, options)}</p>`;
    case "code":
      return renderCode(block.text, block.language);
    case "quote":
      return `<blockquote>${renderBlocks(block.blocks, options)}</blockquote>`;
    case "list":
      return renderList(block, options);
    case "table":
      return renderTable(block);
    case "rule":
      return "<hr>";
  }
}

function renderCode(text: string, language: string): string {
  const label = language === "" ? "" : `<span class="language">${escapeHtml(language.slice(0, 30))}</span>`;
  return `<div class="code">${label}<pre tabindex="0"><code>${escapeHtml(text)}</code></pre></div>`;
}

function renderList({ start, isTight, items }: ListBlock, options: InlineOptions): string {
  const tag = start === undefined ? "ul" : "ol";
  const first = start === undefined || start === 1 ? "" : ` start="${start}"`;
  const rendered = items.map(({ isDone, blocks }) => {
    const inner = blocks.map((block) =>
      isTight && block.type === "paragraph" ? renderInline(block.text, options) : renderBlock(block, options),
    );
    const box =
      isDone === undefined
        ? ""
        : `<span class="box" role="img" aria-label="${isDone ? "done" : "to do"}">${isDone ? "☑" : "☐"}</span> `;
    return `<li${isDone === undefined ? "" : ' class="task"'}>${box}${inner.join("\n")}</li>`;
  });
  return `<${tag}${first}>\n${rendered.join("\n")}\n</${tag}>`;
}

function renderTable({ aligns, head, rows }: TableBlock): string {
  const cells = (tag: "th" | "td", texts: readonly string[]): string =>
    texts
      .map((text, index) => {
        const align = aligns[index];
        return `<${tag}${align === undefined ? "" : ` class="${align}"`}>${renderInline(text)}</${tag}>`;
      })
      .join("");
  const body = rows.map((row) => `<tr>${cells("td", row)}</tr>`).join("\n");
  return `<div class="scroll" tabindex="0"><table><thead><tr>${cells("th", head)}</tr></thead><tbody>\n${body}\n</tbody></table></div>`;
}
