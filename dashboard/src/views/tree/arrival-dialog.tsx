import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { TriangleAlert } from "lucide-react";
import { useState, type ReactNode } from "react";
import type { ArrivalData } from "../../../../src/monitor/api-types.ts";
import { api } from "../../data/api.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Id } from "../../parts/facts.tsx";
import { countText } from "../../parts/format.ts";
import { Answered, ErrorLine } from "../../parts/note.tsx";
import { Select } from "../../parts/select.tsx";
import styles from "./arrival.module.css";

export type Arriving = "restore" | "adopt" | "undo";

const WORDS: Readonly<Record<Arriving, { readonly title: string; readonly does: string; readonly button: string }>> = {
  restore: {
    title: "Restore this state",
    does: "The directory becomes equal to this state: files, git and the conversation.",
    button: "Restore",
  },
  adopt: {
    title: "Adopt this state",
    does: "The state is brought into the directory, and its conversation goes on from there.",
    button: "Adopt",
  },
  undo: {
    title: "Undo the last turn",
    does: "What the turn did is taken back; what was done since is kept, in other files and in the same ones.",
    button: "Undo the turn",
  },
};

type Conflict = "refuse" | "merge" | "discard";

const CONFLICTS: readonly { readonly value: Conflict; readonly label: string }[] = [
  { value: "refuse", label: "change nothing" },
  { value: "merge", label: "keep both, with marks" },
  { value: "discard", label: "discard the later change" },
];

interface Props {
  readonly workspace: string;
  /** The workspace's directory, as people know it. */
  readonly path: string | undefined;
  readonly state: string;
  readonly how: Arriving;
  readonly onClose: () => void;
}

/** Changes the directory: says first what will change, then does it, then shows the way back. */
export function ArrivalDialog({ workspace, path, state, how, onClose }: Props): ReactNode {
  const [conflict, setConflict] = useState<Conflict>("refuse");
  const [isReplacing, setReplacing] = useState(false);
  const cache = useQueryClient();
  const preview = useQuery({
    queryKey: ["arrival", workspace, how, state, conflict],
    queryFn: ({ signal }) =>
      how === "undo"
        ? api.previewUndo(workspace, { on_conflict: conflict }, signal)
        : api.previewArrival(workspace, how, state, signal),
    staleTime: 0,
    gcTime: 0,
  });
  const change = useMutation({
    mutationFn: async (back?: string) => {
      if (back !== undefined) return await api.arrive(workspace, "restore", { state: back, replace_unrecorded: true });
      if (how === "undo") return await api.undo(workspace, { on_conflict: conflict });
      return await api.arrive(workspace, how, { state, replace_unrecorded: isReplacing });
    },
    onSettled: async () => await cache.invalidateQueries({ queryKey: ["workspaces"] }),
  });
  const { title, does, button } = WORDS[how];
  const loses = preview.data?.unrecorded ?? [];
  const isReady =
    preview.data !== undefined && !preview.isFetching && (loses.length === 0 || isReplacing || how === "undo");
  const footer = change.data ? (
    <Button look="primary" onClick={onClose}>
      Close
    </Button>
  ) : (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button
        look={loses.length > 0 ? "danger" : "primary"}
        disabled={!isReady || change.isPending}
        onClick={() => change.mutate(undefined)}
      >
        {change.isPending ? "Changing files…" : button}
      </Button>
    </>
  );
  return (
    <Dialog title={title} isOpen onClose={onClose} footer={footer}>
      {change.data ? (
        <Done
          arrival={change.data}
          isBack={change.variables !== undefined}
          isPending={change.isPending}
          onBack={(back) => change.mutate(back)}
        />
      ) : (
        <>
          <p>
            {does} {path !== undefined && <code>{path}</code>}
          </p>
          {how === "undo" && (
            <div>
              <Select
                label="Where both changed the same lines"
                value={conflict}
                choices={CONFLICTS}
                onChange={setConflict}
              />
            </div>
          )}
          <Answered query={preview} what="what would change">
            {(arrival) => <Preview arrival={arrival} />}
          </Answered>
          {loses.length > 0 && how !== "undo" && (
            <label className={styles["agree"]}>
              <input type="checkbox" checked={isReplacing} onChange={(event) => setReplacing(event.target.checked)} />
              Replace it. The way back will hold it.
            </label>
          )}
        </>
      )}
      <ErrorLine error={change.error} />
    </Dialog>
  );
}

/** What would change on the disk, file by file. */
function Preview({ arrival }: { readonly arrival: ArrivalData }): ReactNode {
  const { files, unrecorded, conflicts, kept_since: kept, merged, git } = arrival;
  const changed = files.created.length + files.modified.length + files.deleted.length + files.renamed.length;
  return (
    <>
      {changed === 0 ? (
        <p>No file changes: the directory has these files already.</p>
      ) : (
        <p>
          <strong>{countText(changed, "file changes", "files change")}</strong> on disk.
        </p>
      )}
      <Paths word="created" sign="+" paths={files.created} />
      <Paths word="changed" sign="~" paths={files.modified} />
      <Paths word="deleted" sign="−" paths={files.deleted} />
      <Paths word="renamed" sign="→" paths={files.renamed.map(({ from, to }) => `${from} → ${to}`)} />
      <Paths word="merged with your later change" sign="±" paths={merged} />
      <Paths word="with changes on both sides" sign="!" paths={conflicts.map(({ path, why }) => `${path}: ${why}`)} />
      <Paths word="kept as you have them" sign="=" paths={kept} />
      {git === "would-restore" && <p className="quiet">Git’s HEAD, branch and index go back with the files.</p>}
      {unrecorded.length > 0 && (
        <div className={styles["loses"]} role="alert">
          <p>
            <TriangleAlert aria-hidden /> {countText(unrecorded.length, "file holds", "files hold")} work that no turn
            made. It would be replaced.
          </p>
          <Paths word="with work of your own" sign="!" paths={unrecorded} />
        </div>
      )}
    </>
  );
}

function Paths({
  word,
  sign,
  paths,
}: {
  readonly word: string;
  readonly sign: string;
  readonly paths: readonly string[];
}): ReactNode {
  if (paths.length === 0) return null;
  return (
    <details open={paths.length <= 12}>
      <summary>{`${paths.length} ${word}`}</summary>
      <ul className={styles["paths"]}>
        {paths.slice(0, 500).map((path) => (
          <li key={path} data-sign={sign}>
            {path}
          </li>
        ))}
        {paths.length > 500 && <li>and {paths.length - 500} more</li>}
      </ul>
    </details>
  );
}

function Done({
  arrival,
  isBack,
  isPending,
  onBack,
}: {
  readonly arrival: ArrivalData;
  readonly isBack: boolean;
  readonly isPending: boolean;
  readonly onBack: (state: string) => void;
}): ReactNode {
  const { files, way_back: back, conflicts } = arrival;
  const changed = files.created.length + files.modified.length + files.deleted.length + files.renamed.length;
  return (
    <div role="status" className={styles["done"]}>
      <p>
        {isBack ? "Taken back. " : "Done. "}
        {countText(changed, "file was changed", "files were changed")}, and the directory was read again: it is as it
        should be.
      </p>
      {conflicts.length > 0 && (
        <p>{countText(conflicts.length, "file has", "files have")} conflict marks to look at.</p>
      )}
      {back !== null && (
        <p>
          The way back is <Id id={back} label="the state" />
          <Button size="small" disabled={isPending} onClick={() => onBack(back)}>
            Take it back
          </Button>
        </p>
      )}
    </div>
  );
}
