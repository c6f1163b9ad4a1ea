import { useMemo, type ReactNode } from "react";
import type { DiffData } from "../../../../src/monitor/api-types.ts";
import { useParam } from "../../data/url.ts";
import { Answered, ErrorLine } from "../../parts/note.tsx";
import { parsePatch } from "../../parts/patch.ts";
import { FilesPane } from "./files-pane.tsx";
import { cutNote, filesOfCut } from "./cut-patch.ts";
import styles from "./run.module.css";
import { useFileDiff, useTurnDiff } from "./use-turn.ts";

/** The files that a turn made different. Where their patch is too long to be told whole, that of the chosen one is asked for. */
export function RecordedFiles({ workspace, state }: { readonly workspace: string; readonly state: string }): ReactNode {
  const diff = useTurnDiff(workspace, state);
  return (
    <Answered query={diff} what="the changes">
      {(data) =>
        data.is_cut && !diff.isPlaceholderData ? (
          <CutFiles workspace={workspace} data={data} />
        ) : (
          <WholeFiles patch={data.patch} />
        )
      }
    </Answered>
  );
}

const EMPTY = "The turn read, thought or talked, and left every file as it was.";

function WholeFiles({ patch }: { readonly patch: string }): ReactNode {
  const files = useMemo(() => parsePatch(patch), [patch]);
  return <FilesPane files={files} emptyText={EMPTY} />;
}

function CutFiles({ workspace, data }: { readonly workspace: string; readonly data: DiffData }): ReactNode {
  const given = useParam("file");
  const chosen = data.changes.some(({ path }) => path === given) ? given : undefined;
  const one = useFileDiff(workspace, data.to, chosen);
  const files = useMemo(
    () => filesOfCut(data, chosen === undefined ? undefined : one.data?.patch, chosen),
    [data, chosen, one.data],
  );
  return (
    <FilesPane
      files={files}
      emptyText={EMPTY}
      note={
        <>
          <p className={styles["note"]} role="status">
            {cutNote({ chosen, isRead: one.data !== undefined, isCut: one.data?.is_cut === true })}
          </p>
          {chosen !== undefined && <ErrorLine error={one.error} />}
        </>
      }
    />
  );
}
