import { useState, type ReactNode } from "react";
import { Button } from "./button.tsx";
import { countText } from "./format.ts";
import { Markdown } from "./markdown.tsx";
import styles from "./long-text.module.css";
import { visibleText } from "./visible-text.ts";

/** What is longer is drawn once somebody wants it: laying out a megabyte stalls the page. */
const LONG = 20_000;

/** What is longer has a box of its own, which scrolls. */
const BOXED = 1200;

/** A text of an agent's, all of it as it was written: in a box that scrolls where it is long, and what is not drawn at once is told of. */
export function LongText({ text, label }: { readonly text: string; readonly label: string }): ReactNode {
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole || text.length <= LONG ? text : text.slice(0, LONG).toWellFormed();
  const isBoxed = text.length > BOXED || text.split("\n", 21).length > 20;
  const about = isBoxed ? { role: "region", "aria-label": label, tabIndex: 0 } : {};
  return (
    <div className={styles["text"]} data-boxed={isBoxed} dir="auto" {...about}>
      {visibleText(shown)}
      {shown.length < text.length && (
        <button type="button" className={styles["more"]} onClick={() => setWhole(true)}>
          … {countText(text.length - shown.length, "more character")}, show
        </button>
      )}
    </div>
  );
}

/** A text that may be Markdown and is to be allowed: what Markdown does not draw (names of links, ends of table rows) is seen as it is written. */
export function AskedMarkdown({
  text,
  label,
  isWrittenAtFirst = false,
}: {
  readonly text: string;
  readonly label: string;
  readonly isWrittenAtFirst?: boolean;
}): ReactNode {
  const [isWritten, setWritten] = useState(isWrittenAtFirst);
  return (
    <div className={styles["asked"]}>
      {isWritten ? <LongText text={text} label={label} /> : <Markdown text={text} />}
      <Button size="small" look="quiet" onClick={() => setWritten(!isWritten)}>
        {isWritten ? "Show as Markdown" : "Show as written"}
      </Button>
    </div>
  );
}
