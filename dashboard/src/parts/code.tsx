import { useVirtualizer } from "@tanstack/react-virtual";
import { memo, useMemo, useRef, useState, type ReactNode } from "react";
import styles from "./code.module.css";
import { CopyButton } from "./copy.tsx";
import { countText } from "./format.ts";
import type { CodeLine } from "./highlight.ts";
import { languageNamed, languageOf } from "./language-of.ts";
import { cutLine, LONGEST_LINE } from "./plain.ts";
import { inWorker } from "./text-jobs.ts";
import { lazily, useComing, useLazy } from "./use-lazy.ts";
import { visibleText } from "./visible-text.ts";

const highlighting = lazily(async () => await import("./highlight.ts"));

/** What is longer is coloured in a worker. */
const SHORT = 6000;

/** What is longer is not coloured at all. */
const LONGEST_COLOURED = 400_000;

/** From so many lines on only those that are seen are drawn. */
const VIRTUAL_LINES = 200;

const LINE_PX = 20;

interface CodeProps {
  readonly text: string;
  /** The language in its own word; where there is none, `path` says it. */
  readonly language?: string;
  readonly path?: string;
  readonly isNumbered?: boolean;
  /** The number of the first line. */
  readonly firstLine?: number;
  /** How many lines are shown before somebody wants all; all where it is left out. */
  readonly mostLines?: number;
  /** Whether it fills what it lies in, and scrolls there, instead of being as high as its lines. */
  readonly isFilling?: boolean;
  /** Whether it has a border and a button to copy it. */
  readonly isPlain?: boolean;
  /** Whether long lines go on in the next one: what has to be read whole before it is allowed. */
  readonly isWrapped?: boolean;
}

/** Code in its colours. */
export const Code = memo(function Code({
  text,
  language,
  path,
  isNumbered = false,
  firstLine = 1,
  mostLines = Infinity,
  isFilling = false,
  isPlain = false,
  isWrapped = false,
}: CodeProps): ReactNode {
  const [isWhole, setWhole] = useState(false);
  const clean = useMemo(() => visibleText(text.replace(/\n$/u, "").replaceAll("\r\n", "\n")), [text]);
  const all = useLines(clean, language === undefined ? path && languageOf(path) : languageNamed(language));
  const lines = isWhole || all.length <= mostLines + 3 ? all : all.slice(0, mostLines);
  const numbers = isNumbered ? firstLine : undefined;
  const isVirtual = isFilling || lines.length > VIRTUAL_LINES;
  return (
    <div
      className={[styles["code"], isFilling && styles["filling"], isPlain && styles["bare"]].filter(Boolean).join(" ")}
    >
      {isVirtual ? (
        <VirtualLines lines={lines} numbers={numbers} isFilling={isFilling} isWrapped={isWrapped} />
      ) : (
        <pre dir="ltr" tabIndex={0} data-numbered={isNumbered} data-wrapped={isWrapped}>
          <code>
            {lines.map((line, place) => (
              <Line key={place} line={line} number={numbers === undefined ? undefined : numbers + place} />
            ))}
          </code>
        </pre>
      )}
      {lines.length < all.length && (
        <button type="button" className={styles["more"]} onClick={() => setWhole(true)}>
          Show all {countText(all.length, "line")}
        </button>
      )}
      {!isPlain && (
        <div className={styles["copy"]}>
          <CopyButton text={text} />
        </div>
      )}
    </div>
  );
});

function useLines(text: string, language: string | undefined): readonly CodeLine[] {
  const isColoured = language !== undefined && text.length <= LONGEST_COLOURED;
  const isNear = isColoured && text.length <= SHORT;
  const module = useLazy(highlighting, isNear);
  const near = useMemo(
    () => (isNear ? module?.highlightLines(text, language) : undefined),
    [module, isNear, text, language],
  );
  const far = useComing(isColoured && !isNear ? `${language}:${text}` : undefined, async () =>
    inWorker({ type: "highlight", code: text, language }),
  );
  const plain = useMemo(() => text.split("\n").map((line): CodeLine => [[line, ""]]), [text]);
  return near ?? far ?? plain;
}

const Line = memo(function Line({
  line,
  number,
}: {
  readonly line: CodeLine;
  readonly number: number | undefined;
}): ReactNode {
  return (
    <span className={styles["line"]} data-line={number}>
      <Pieces line={line} />
      {"\n"}
    </span>
  );
});

/** A line in its colours; what is too long to be drawn is only told of. */
function Pieces({ line }: { readonly line: CodeLine }): ReactNode {
  const [isWhole, setWhole] = useState(false);
  const length = line.reduce((sum, [text]) => sum + text.length, 0);
  if (isWhole || length <= LONGEST_LINE) {
    return line.map(([text, kind], place) =>
      kind === "" ? (
        text
      ) : (
        <span key={place} className={styles[kind]}>
          {text}
        </span>
      ),
    );
  }
  const [shown] = cutLine(line.map(([text]) => text).join(""));
  return (
    <>
      {shown}
      <button type="button" className={styles["cut"]} onClick={() => setWhole(true)}>
        … {countText(length - shown.length, "more character")}
      </button>
    </>
  );
}

function VirtualLines({
  lines,
  numbers,
  isFilling,
  isWrapped,
}: {
  readonly lines: readonly CodeLine[];
  readonly numbers: number | undefined;
  readonly isFilling: boolean;
  readonly isWrapped: boolean;
}): ReactNode {
  const scroller = useRef<HTMLPreElement>(null);
  const rows = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => LINE_PX,
    overscan: 20,
  });
  const widest = useMemo(() => widestOf(lines), [lines]);
  const width = isWrapped ? {} : { minWidth: `${widest}ch` };
  return (
    <pre
      ref={scroller}
      dir="ltr"
      tabIndex={0}
      data-numbered={numbers !== undefined}
      data-wrapped={isWrapped}
      className={isFilling ? styles["fill"] : styles["box"]}
    >
      <code className={styles["virtual"]} style={{ height: rows.getTotalSize(), ...width }}>
        {rows.getVirtualItems().map(({ index, start }) => (
          <div
            key={index}
            ref={isWrapped ? rows.measureElement : undefined}
            data-index={index}
            className={styles["row"]}
            style={{ translate: `0 ${start}px` }}
          >
            <Line line={lines[index] ?? []} number={numbers === undefined ? undefined : numbers + index} />
          </div>
        ))}
      </code>
    </pre>
  );
}

function widestOf(lines: readonly CodeLine[]): number {
  let widest = 0;
  for (const line of lines)
    widest = Math.max(
      widest,
      line.reduce((sum, [text]) => sum + text.length, 0),
    );
  return Math.min(widest, 2100) + 8;
}
