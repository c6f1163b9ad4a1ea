import { ChevronDown, ChevronRight, File, Folder, FolderOpen, Link2 } from "lucide-react";
import { memo, useCallback, useMemo, useState, type KeyboardEvent, type ReactNode } from "react";
import { bytesText } from "../../parts/format.ts";
import { Empty } from "../../parts/note.tsx";
import { visibleText } from "../../parts/visible-text.ts";
import { VirtualList } from "../../parts/virtual-list.tsx";
import { createFileTree, fileRows, foldersAbove, type Changes, type FileItem, type FileRow } from "./file-tree.ts";
import styles from "./files.module.css";

/** So few are all shown at once. */
const FEW = 60;

/** The files of a state as a tree: arrows move, right and left open and close, Enter shows. */
export function FileList({
  files,
  changes,
  selected,
  onSelect,
}: {
  readonly files: readonly FileItem[];
  readonly changes: Changes;
  readonly selected: string | undefined;
  readonly onSelect: (path: string) => void;
}): ReactNode {
  const tree = useMemo(() => createFileTree(files, changes), [files, changes]);
  const [words, setWords] = useState("");
  const [turned, setTurned] = useState<ReadonlyMap<string, boolean>>(new Map());
  const [cursor, setCursor] = useState(selected);
  const isFew = files.length <= FEW;
  const above = useMemo(() => new Set(foldersAbove(selected ?? "")), [selected]);
  const found = useMemo(() => findFiles(files, words), [files, words]);
  const isOpen = useCallback((path: string) => turned.get(path) ?? (isFew || above.has(path)), [turned, isFew, above]);
  const rows = useMemo(
    () => (found ? fileRows(createFileTree(found, []), () => true) : fileRows(tree, isOpen)),
    [found, tree, isOpen],
  );
  const active = rows.findIndex(({ path }) => path === (cursor ?? selected));
  const turn = useCallback((path: string, open: boolean) => setTurned((before) => new Map(before).set(path, open)), []);
  const choose = useCallback(
    (row: FileRow) => {
      setCursor(row.path);
      if (row.isFolder) turn(row.path, !row.isOpen);
      else onSelect(row.path);
    },
    [turn, onSelect],
  );
  const press = (event: KeyboardEvent): void => {
    const row = rows[active];
    const go = (place: number): void => setCursor(rows[Math.max(0, Math.min(rows.length - 1, place))]?.path);
    const { key } = event;
    if (key === "ArrowDown") go(active + 1);
    else if (key === "ArrowUp") go(active - 1);
    else if (key === "Home") go(0);
    else if (key === "End") go(rows.length - 1);
    else if (key === "ArrowRight" && row?.isFolder) turn(row.path, true);
    else if (key === "ArrowLeft" && row?.isFolder && row.isOpen) turn(row.path, false);
    else if (key === "ArrowLeft" && row) setCursor(foldersAbove(row.path).at(-1) ?? row.path);
    else if ((key === "Enter" || key === " ") && row) choose(row);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <>
      <div className={styles["find"]}>
        <input
          type="search"
          aria-label="Find a file"
          placeholder="Find a file"
          spellCheck={false}
          value={words}
          onChange={(event) => setWords(event.target.value)}
        />
      </div>
      {rows.length === 0 ? (
        <Empty title={words === "" ? "This state holds no files" : "No file has such a path"} />
      ) : (
        <VirtualList
          role="tree"
          label="Files"
          className={styles["list"]}
          count={rows.length}
          rowHeight={26}
          active={active === -1 ? undefined : active}
          activeId={active === -1 ? undefined : `file-${active}`}
          onKeyDown={press}
          renderRow={(index) => {
            const row = rows[index];
            const isSelected = row?.path === selected;
            return (
              row && (
                <Line row={row} index={index} isSelected={isSelected} isActive={index === active} onChoose={choose} />
              )
            );
          }}
        />
      )}
    </>
  );
}

function findFiles(files: readonly FileItem[], words: string): readonly FileItem[] | undefined {
  const wanted = words.toLowerCase().split(/\s+/u).filter(Boolean);
  if (wanted.length === 0) return undefined;
  return files.filter(({ path }) => wanted.every((word) => path.toLowerCase().includes(word))).slice(0, 5000);
}

const SIGNS = { created: "A", modified: "M", deleted: "D", renamed: "R" } as const;

const Line = memo(function Line({
  row,
  index,
  isSelected,
  isActive,
  onChoose,
}: {
  readonly row: FileRow;
  readonly index: number;
  readonly isSelected: boolean;
  readonly isActive: boolean;
  readonly onChoose: (row: FileRow) => void;
}): ReactNode {
  const { name, path, level, isFolder, isOpen, item, change, changed, place, siblings } = row;
  const size = item && item.kind === "file" ? `, ${bytesText(item.size_bytes)}` : "";
  return (
    <div
      id={`file-${index}`}
      role="treeitem"
      className={styles["file"]}
      aria-level={level + 1}
      aria-posinset={place + 1}
      aria-setsize={siblings}
      aria-expanded={isFolder ? isOpen : undefined}
      aria-selected={isSelected}
      data-active={isActive || undefined}
      data-change={change}
      title={visibleText(path) + size}
      tabIndex={-1}
      style={{ paddingLeft: 8 + level * 14 }}
      onClick={() => onChoose(row)}
      onKeyDown={undefined}
    >
      {isFolder ? isOpen ? <ChevronDown aria-hidden /> : <ChevronRight aria-hidden /> : <span />}
      {isFolder ? (
        isOpen ? (
          <FolderOpen aria-hidden />
        ) : (
          <Folder aria-hidden />
        )
      ) : item?.kind === "symlink" ? (
        <Link2 aria-hidden />
      ) : (
        <File aria-hidden />
      )}
      <span className="cut" dir="ltr">
        {visibleText(name)}
      </span>
      {change !== undefined && (
        <span className={styles["sign"]} title={change}>
          {SIGNS[change]}
          <span className="said"> {change}</span>
        </span>
      )}
      {isFolder && !isOpen && changed > 0 && <span className={styles["sign"]}>{changed}</span>}
    </div>
  );
});
