import { useMemo, useState, type ReactNode } from "react";
import { useSetting } from "../../data/drafts.ts";
import { useParam, useSetParams } from "../../data/url.ts";
import { ChangeSign, DiffFiles, LineCounts, type DiffMode } from "../../parts/diff.tsx";
import { countText } from "../../parts/format.ts";
import { Empty } from "../../parts/note.tsx";
import type { PatchFile } from "../../parts/patch.ts";
import { Select } from "../../parts/select.tsx";
import { visibleText } from "../../parts/visible-text.ts";
import styles from "./run.module.css";

/** How diffs are drawn, as the person last chose. */
function useDiffMode(): readonly [mode: DiffMode, choose: (mode: DiffMode) => void] {
  const [mode, choose] = useSetting<string>("diff-mode", "unified");
  return [mode === "split" ? "split" : "unified", choose];
}

/** The files that are different, and how: one chosen, or all below each other. */
export function FilesPane({
  files,
  note,
  emptyText,
}: {
  readonly files: readonly PatchFile[];
  /** Where these come from, where that is not the record. */
  readonly note?: ReactNode;
  readonly emptyText: string;
}): ReactNode {
  const [mode, setMode] = useDiffMode();
  const chosen = useParam("file");
  const set = useSetParams();
  const [isListShown, showList] = useState(true);
  const shown = useMemo(() => {
    const only = files.filter(({ path }) => path === chosen);
    return only.length > 0 ? only : files;
  }, [files, chosen]);
  const added = files.reduce((sum, file) => sum + file.added, 0);
  const removed = files.reduce((sum, file) => sum + file.removed, 0);
  const choose = (path: string): void => set({ file: path === chosen ? undefined : path });
  return (
    <div className={styles["files"]}>
      {note}
      {files.length === 0 ? (
        <Empty title="No file is different">{emptyText}</Empty>
      ) : (
        <>
          <div className={styles["filesHead"]}>
            <button
              type="button"
              className={styles["count"]}
              aria-expanded={isListShown}
              onClick={() => showList(!isListShown)}
            >
              {countText(files.length, "file")} changed
            </button>
            <LineCounts added={added} removed={removed} />
            <span className={styles["gap"]} />
            <Select
              label="Diff"
              isLabelShown={false}
              value={mode}
              choices={[
                { value: "unified", label: "One column" },
                { value: "split", label: "Side by side" },
              ]}
              onChange={setMode}
            />
          </div>
          {isListShown && files.length > 1 && <FileList files={files} chosen={chosen} onChoose={choose} />}
          <div className={styles["diff"]}>
            <DiffFiles files={shown} mode={mode} isFilling />
          </div>
        </>
      )}
    </div>
  );
}

function FileList({
  files,
  chosen,
  onChoose,
}: {
  readonly files: readonly PatchFile[];
  readonly chosen: string | undefined;
  readonly onChoose: (path: string) => void;
}): ReactNode {
  return (
    <ul className={styles["fileList"]} aria-label="Files that changed">
      {files.map(({ path, change, added, removed }) => (
        <li key={path}>
          <button
            type="button"
            className={styles["fileRow"]}
            aria-pressed={path === chosen}
            onClick={() => onChoose(path)}
          >
            <ChangeSign change={change} />
            <FilePath path={path} />
            <LineCounts added={added} removed={removed} />
          </button>
        </li>
      ))}
    </ul>
  );
}

/** The folder quiet, the name not. */
function FilePath({ path }: { readonly path: string }): ReactNode {
  const cut = path.lastIndexOf("/") + 1;
  return (
    <span className={styles["filePath"]} title={path}>
      <span className="quiet">{visibleText(path.slice(0, cut))}</span>
      {visibleText(path.slice(cut))}
    </span>
  );
}
