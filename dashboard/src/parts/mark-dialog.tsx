import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { api } from "../data/api.ts";
import { useDraft } from "../data/drafts.ts";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { ErrorLine } from "./note.tsx";
import styles from "./form.module.css";

/** Writes a remark on a state and names its bookmark; an empty field takes it away. */
export function MarkDialog({
  workspace,
  state,
  bookmark: bookmarkBefore,
  remark: remarkBefore,
  onClose,
}: {
  readonly workspace: string;
  readonly state: string;
  readonly bookmark: string;
  readonly remark: string;
  readonly onClose: () => void;
}): ReactNode {
  const [bookmark, setBookmark] = useState(bookmarkBefore);
  const [remark, setRemark] = useDraft(`remark ${state}`, remarkBefore);
  const queries = useQueryClient();
  const save = useMutation({
    mutationFn: async () => await api.mark(workspace, state, { bookmark, remark }),
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
