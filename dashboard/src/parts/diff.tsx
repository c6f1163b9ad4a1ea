import { useVirtualizer } from "@tanstack/react-virtual";
import { ChevronDown, ChevronRight } from "lucide-react";
import { memo, useMemo, useRef, useState, type ReactNode } from "react";
import styles from "./diff.module.css";
import { diffRows, type DiffMode, type DiffRow } from "./diff-rows.ts";
import { countText } from "./format.ts";
import { parsePatch, type PatchFile, type PatchLine } from "./patch.ts";
import { cutLine } from "./plain.ts";
import { lazily, useLazy } from "./use-lazy.ts";
import { visibleText } from "./visible-text.ts";

export type { DiffMode } from "./diff-rows.ts";

const lineDiff = lazily(async () => await import("./line-diff.ts"));

/** From so many rows on only those that are seen are drawn. */
const VIRTUAL_ROWS = 200;

interface RowsProps {
  readonly mode?: DiffMode;
  /** Whether it fills what it lies in, and scrolls there. */
  readonly isFilling?: boolean;
  /** Whether each file has a line of its own above its changes. */
  readonly hasHeaders?: boolean;
  /** How many rows are shown before somebody wants all. */
  readonly mostRows?: number;
  /** Whether lines have their numbers; not where nobody knows which lines of the file they are. */
  readonly isNumbered?: boolean;
}

/** A unified patch, file by file, side by side or in one column; words that changed within a line are marked. */
export const Diff = memo(function Diff({ patch, ...rest }: RowsProps & { readonly patch: string }): ReactNode {
  const files = useMemo(() => parsePatch(patch), [patch]);
  return <DiffFiles files={files} {...rest} />;
});

/** What an edit changes: the text before and after. */
export const EditDiff = memo(function EditDiff({
  before,
  after,
  path,
  hasHeaders = false,
  ...rest
}: RowsProps & { readonly before: string; readonly after: string; readonly path: string }): ReactNode {
  const module = useLazy(lineDiff);
  const files = useMemo(() => module && [module.editedFile(before, after, path)], [module, before, after, path]);
  return <DiffFiles files={files ?? []} hasHeaders={hasHeaders} {...rest} />;
});

/** Files of a patch that was read already. */
export function DiffFiles({
  files,
  mode = "unified",
  isFilling = false,
  hasHeaders = true,
  mostRows = Infinity,
  isNumbered = true,
}: RowsProps & { readonly files: readonly PatchFile[] }): ReactNode {
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set());
  const [isWhole, setWhole] = useState(false);
  const all = useMemo(() => diffRows(files, { mode, folded, hasHeaders }), [files, mode, folded, hasHeaders]);
  const rows = isWhole || all.length <= mostRows + 3 ? all : all.slice(0, mostRows);
  const fold = (path: string): void => {
    const next = new Set(folded);
    if (!next.delete(path)) next.add(path);
    setFolded(next);
  };
  const draw = (row: DiffRow): ReactNode => <Row row={row} folded={folded} onFold={fold} />;
  return (
    <div
      className={`${styles["diff"]} ${isFilling ? styles["filling"] : ""}`}
      data-mode={mode}
      data-numbered={isNumbered}
    >
      {rows.length > VIRTUAL_ROWS || isFilling ? (
        <VirtualRows rows={rows} draw={draw} isFilling={isFilling} />
      ) : (
        rows.map((row, place) => <div key={place}>{draw(row)}</div>)
      )}
      {rows.length < all.length && (
        <button type="button" className={styles["more"]} onClick={() => setWhole(true)}>
          Show all {countText(all.length, "line")}
        </button>
      )}
    </div>
  );
}

function VirtualRows({
  rows,
  draw,
  isFilling,
}: {
  readonly rows: readonly DiffRow[];
  readonly draw: (row: DiffRow) => ReactNode;
  readonly isFilling: boolean;
}): ReactNode {
  const scroller = useRef<HTMLDivElement>(null);
  const list = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => (rows[index]?.type === "file" ? 36 : 20),
    overscan: 20,
  });
  return (
    <div
      ref={scroller}
      className={isFilling ? styles["fill"] : styles["box"]}
      role="region"
      aria-label="Changes"
      tabIndex={0}
    >
      <div className={styles["virtual"]} style={{ height: list.getTotalSize() }}>
        {list.getVirtualItems().map(({ index, start }) => (
          <div
            key={index}
            ref={list.measureElement}
            data-index={index}
            className={styles["placed"]}
            style={{ translate: `0 ${start}px` }}
          >
            {draw(rows[index] as DiffRow)}
          </div>
        ))}
      </div>
    </div>
  );
}

function Row({
  row,
  folded,
  onFold,
}: {
  readonly row: DiffRow;
  readonly folded: ReadonlySet<string>;
  readonly onFold: (path: string) => void;
}): ReactNode {
  switch (row.type) {
    case "file":
      return <FileHeader file={row.file} isFolded={folded.has(row.file.path)} onFold={() => onFold(row.file.path)} />;
    case "note":
      return <p className={styles["note"]}>{row.text}</p>;
    case "hunk":
      return <p className={styles["hunk"]}>{visibleText(row.text)}</p>;
    case "line":
      return (
        <div className={styles["line"]} data-type={row.line.type}>
          <span className={styles["number"]} data-line={row.line.oldLine} />
          <span className={styles["number"]} data-line={row.line.newLine} />
          <Text line={row.line} />
        </div>
      );
    case "pair":
      return (
        <div className={styles["pair"]}>
          <Side line={row.left} number={row.left?.oldLine} />
          <Side line={row.right} number={row.right?.newLine} />
        </div>
      );
  }
}

function Side({
  line,
  number,
}: {
  readonly line: PatchLine | undefined;
  readonly number: number | undefined;
}): ReactNode {
  return (
    <div className={styles["side"]} data-type={line?.type ?? "none"}>
      <span className={styles["number"]} data-line={number} />
      {line && <Text line={line} />}
    </div>
  );
}

const SIGNS = { created: "A", modified: "M", deleted: "D", renamed: "R" } as const;

/** The letter of what became of a file, as git has it. */
export function ChangeSign({ change }: { readonly change: keyof typeof SIGNS }): ReactNode {
  return (
    <span className={styles["sign"]} data-change={change} title={change}>
      {SIGNS[change]}
      <span className="said">: {change}</span>
    </span>
  );
}

/** How many lines came and went. */
export function LineCounts({ added, removed }: { readonly added: number; readonly removed: number }): ReactNode {
  return (
    <span className={`number ${styles["counts"]}`}>
      {added > 0 && <ins>+{added}</ins>}
      {removed > 0 && <del>−{removed}</del>}
    </span>
  );
}

function FileHeader({
  file,
  isFolded,
  onFold,
}: {
  readonly file: PatchFile;
  readonly isFolded: boolean;
  readonly onFold: () => void;
}): ReactNode {
  return (
    <button type="button" className={styles["file"]} aria-expanded={!isFolded} onClick={onFold} data-path={file.path}>
      {isFolded ? <ChevronRight aria-hidden /> : <ChevronDown aria-hidden />}
      <ChangeSign change={file.change} />
      <span className={styles["path"]} title={file.path}>
        {file.from !== undefined && <span className="quiet">{visibleText(file.from)} → </span>}
        {visibleText(file.path)}
      </span>
      <LineCounts added={file.added} removed={file.removed} />
    </button>
  );
}

const MARKS = { added: "+", removed: "−", same: "" } as const;

const Text = memo(function Text({ line }: { readonly line: PatchLine }): ReactNode {
  const [isWhole, setWhole] = useState(false);
  const { type, pair } = line;
  const module = useLazy(lineDiff, pair !== undefined);
  const [shown, left] = cutLine(visibleText(line.text), isWhole ? Infinity : undefined);
  const words = useMemo(
    () => (pair === undefined || left > 0 ? undefined : module?.changedWords(shown, visibleText(pair))),
    [module, pair, shown, left],
  );
  return (
    <code className={styles["text"]} data-mark={MARKS[type]} dir="ltr">
      {words?.map(([text, isChanged], place) => (isChanged ? <mark key={place}>{text}</mark> : text)) ?? shown}
      {left > 0 && (
        <button type="button" className={styles["cut"]} onClick={() => setWhole(true)}>
          … {countText(left, "more character")}
        </button>
      )}
    </code>
  );
});
