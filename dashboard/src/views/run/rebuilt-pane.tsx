import { Hammer } from "lucide-react";
import { useMemo, type ReactNode } from "react";
import { countText } from "../../parts/format.ts";
import { Loading } from "../../parts/note.tsx";
import { lazily, useLazy } from "../../parts/use-lazy.ts";
import { visibleText } from "../../parts/visible-text.ts";
import { FilesPane } from "./files-pane.tsx";
import { editsElsewhere, fileEdits, rebuildFiles, type MadeCall } from "./rebuild.ts";
import styles from "./run.module.css";
import { useTextsBefore } from "./texts-before.ts";
import { useWorkspacePath } from "./use-turn.ts";

const lineDiff = lazily(async () => await import("../../parts/line-diff.ts"));

/** The files within a turn, as the edits of file tools tell them: marked as rebuilt, for commands may have changed more. */
export function RebuiltPane({
  workspace,
  directory: given,
  parent,
  calls,
  step,
  note,
}: {
  readonly workspace: string;
  /** Where the agent worked; the workspace's own directory where it is left out. */
  readonly directory?: string | undefined;
  readonly parent: string | null;
  readonly calls: readonly MadeCall[];
  readonly step: number;
  readonly note: string;
}): ReactNode {
  const own = useWorkspacePath(workspace);
  const directory = given ?? own;
  const paths = useMemo(
    () => [...new Set(directory === undefined ? [] : fileEdits(calls, directory).map(({ path }) => path))],
    [calls, directory],
  );
  const before = useTextsBefore(workspace, parent, paths);
  const module = useLazy(lineDiff);
  const files = useMemo(() => {
    if (!before || !module || directory === undefined) return undefined;
    const rebuilt = rebuildFiles(before, fileEdits(calls.slice(0, step), directory));
    const changed = rebuilt.filter((file) => file.before !== file.after);
    return {
      files: changed.map((file) => module.editedFile(file.before, file.after, file.path)),
      elsewhere: editsElsewhere(calls.slice(0, step), directory),
      unsure: rebuilt.filter(({ isWhole }) => !isWhole).map(({ path }) => path),
    };
  }, [before, module, calls, step, directory]);
  if (!files) return <Loading what="the files before the turn" />;
  return (
    <FilesPane
      files={files.files}
      emptyText={`Up to here no file tool has changed anything${files.elsewhere > 0 ? " below the directory of the turn" : ""}.`}
      note={
        <p className={styles["note"]}>
          <Hammer aria-hidden />
          <span>
            {note}
            {files.elsewhere > 0 &&
              ` ${countText(files.elsewhere, "file")} outside of ${visibleText(directory ?? "")} not shown.`}
            {files.unsure.length > 0 &&
              ` Something else changed ${files.unsure.join(", ")} in between, so its edits do not fit.`}
          </span>
        </p>
      }
    />
  );
}
