import { createElement, Fragment, memo, useMemo, useState, type ReactNode } from "react";
import { Code } from "./code.tsx";
import { countText } from "./format.ts";
import type { MarkdownElement, MarkdownNode } from "./markdown-tree.ts";
import styles from "./markdown.module.css";
import { cutLine, plainText } from "./plain.ts";
import { inWorker } from "./text-jobs.ts";
import { lazily, useComing, useLazy } from "./use-lazy.ts";

const tree = lazily(async () => await import("./markdown-tree.ts"));

/** What is longer is read in a worker. */
const SHORT = 12_000;

/** What is longer is cut until somebody wants all of it. */
const LONG = 30_000;

/** A text as Markdown. Its HTML stays text, its links lead to the web or to mail and nowhere else, and no picture of elsewhere is loaded. */
export const Markdown = memo(function Markdown({
  text,
  streaming = false,
}: {
  readonly text: string;
  /** Whether it is still being written: a mark stands at its end. */
  readonly streaming?: boolean;
}): ReactNode {
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole || text.length <= LONG ? text : text.slice(0, LONG);
  const nodes = useNodes(shown);
  return (
    <div className={`${styles["markdown"]} ${streaming ? styles["streaming"] : ""}`} dir="auto">
      {nodes === undefined ? <Unread text={shown} /> : drawAll(nodes)}
      {shown.length < text.length && (
        <button type="button" className={styles["more"]} onClick={() => setWhole(true)}>
          Show all, {countText(text.length - shown.length, "character")} more
        </button>
      )}
    </div>
  );
});

/** A text until it has been read: its beginning, and how much comes after. */
function Unread({ text }: { readonly text: string }): ReactNode {
  const [shown, left] = cutLine(text, SHORT);
  return (
    <>
      <p className={styles["plain"]}>{plainText(shown)}</p>
      {left > 0 && <p className="quiet small">{countText(left, "more character")} will be here at once.</p>}
    </>
  );
}

function useNodes(text: string): readonly MarkdownNode[] | undefined {
  const isShort = text.length <= SHORT;
  const reader = useLazy(tree, isShort);
  const near = useMemo(() => (isShort ? reader?.parseMarkdown(text) : undefined), [reader, isShort, text]);
  const far = useComing(isShort ? undefined : text, async () => await inWorker({ type: "markdown", text }));
  return isShort ? near : far;
}

/** What may become an element; anything else is drawn as its content. */
const TAGS = new Set(
  "p h1 h2 h3 h4 h5 h6 ul ol li blockquote table thead tbody tr th td strong em s code br hr".split(" "),
);

function drawAll(nodes: readonly MarkdownNode[]): ReactNode {
  return nodes.map((node, place) => <Fragment key={place}>{typeof node === "string" ? node : draw(node)}</Fragment>);
}

function draw({ tag, children, href, language, start, align }: MarkdownElement): ReactNode {
  if (tag === "pre") return <Code text={textOf(children)} {...(language === undefined ? {} : { language })} />;
  if (tag === "a") {
    if (href === undefined) return drawAll(children);
    return (
      <a href={href} target="_blank" rel="noopener noreferrer nofollow" title={href}>
        {drawAll(children)}
      </a>
    );
  }
  if (!TAGS.has(tag)) return drawAll(children);
  if (tag === "br" || tag === "hr") return createElement(tag);
  if (tag === "table") return <div className={styles["table"]}>{createElement(tag, {}, drawAll(children))}</div>;
  // The page has titles of its own above these.
  const shownTag = /^h[1-6]$/u.test(tag) ? `h${Math.min(6, Number(tag[1]) + 2)}` : tag;
  return createElement(shownTag, { start, "data-align": align, "data-level": tag }, drawAll(children));
}

function textOf(nodes: readonly MarkdownNode[]): string {
  return nodes.map((node) => (typeof node === "string" ? node : textOf(node.children))).join("");
}
