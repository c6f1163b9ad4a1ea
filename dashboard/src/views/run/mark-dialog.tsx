import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import type { StateDetail } from "../../../../src/monitor/api-types.ts";
import { api } from "../../data/api.ts";
import { useDraft } from "../../data/drafts.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { ErrorLine } from "../../parts/note.tsx";
import styles from "./run.module.css";

/** Writes a remark on a state and names its bookmark; an empty field takes it away. */
export function MarkDialog({
  workspace,
  detail,
  onClose,
}: {
  readonly workspace: string;
  readonly detail: StateDetail;
  readonly onClose: () => void;
}): ReactNode {
  const [bookmark, setBookmark] = useState(detail.bookmark ?? "");
  const [remark, setRemark] = useDraft(`remark ${detail.state_id}`, detail.remark ?? "");
  const queries = useQueryClient();
  const save = useMutation({
    mutationFn: async () => await api.mark(workspace, detail.state_id, { bookmark, remark }),
    onSuccess: async () => {
      setRemark("");
      onClose();
      await queries.invalidateQueries({ queryKey: ["workspaces"] });
    },
  });
  return (
    <Dialog
      title="Bookmark and remark"
      isOpen
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" disabled={save.isPending} onClick={() => save.mutate()}>
            Save
          </Button>
        </>
      }
    >
      <div className={styles["form"]}>
        <label>
          Bookmark
          <input
            value={bookmark}
            maxLength={100}
            placeholder="none"
            onChange={(event) => setBookmark(event.target.value)}
          />
        </label>
        <label>
          Remark
          <textarea value={remark} maxLength={10_000} rows={5} onChange={(event) => setRemark(event.target.value)} />
        </label>
        <p className="quiet small">Both go along with push and pull. An empty field takes it away.</p>
        <ErrorLine error={save.error} />
      </div>
    </Dialog>
  );
}
