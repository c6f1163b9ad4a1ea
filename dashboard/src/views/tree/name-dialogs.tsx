import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState, type FormEvent, type ReactNode } from "react";
import { api } from "../../data/api.ts";
import { Button } from "../../parts/button.tsx";
import { CopyLine } from "../../parts/copy.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { shortId } from "../../parts/format.ts";
import { ErrorLine } from "../../parts/note.tsx";
import styles from "../../parts/form.module.css";

interface Props {
  readonly workspace: string;
  readonly state: string;
  readonly onClose: () => void;
}

/** Gives a state a name; a name that is taken is moved only where one says so. */
export function CheckpointDialog({
  workspace,
  state,
  taken,
  onClose,
}: Props & { readonly taken: ReadonlyMap<string, string> }): ReactNode {
  const [name, setName] = useState("");
  const cache = useQueryClient();
  const at = taken.get(name);
  const isMoved = at !== undefined && at !== state;
  const put = useMutation({
    mutationFn: async () => await api.setCheckpoint(workspace, name, { state, replace: isMoved }),
    onSuccess: async () => {
      await cache.invalidateQueries({ queryKey: ["workspaces"] });
      onClose();
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (name !== "") put.mutate();
  };
  return (
    <Dialog
      title="Name this state"
      isOpen
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" disabled={name === "" || put.isPending} onClick={() => put.mutate()}>
            {isMoved ? "Move the name here" : "Name it"}
          </Button>
        </>
      }
    >
      <form onSubmit={submit} className={styles["form"]}>
        <label>
          Checkpoint
          <input
            // oxlint-disable-next-line jsx-a11y/no-autofocus -- the dialog was opened to write it
            autoFocus
            value={name}
            maxLength={100}
            spellCheck={false}
            onChange={(event) => setName(event.target.value.trim())}
            placeholder="before-login"
          />
        </label>
        <p className="quiet small">
          {isMoved
            ? `${name} names ${shortId(at ?? "")} now. That state stays, without the name.`
            : "Letters, digits, dots, dashes and underscores. No file changes on disk."}
        </p>
        <ErrorLine error={put.error} />
      </form>
    </Dialog>
  );
}

/** Makes a working copy of a state, and says where it is. */
export function BranchDialog({ workspace, state, onClose }: Props): ReactNode {
  const make = useMutation({ mutationFn: async () => await api.branch(workspace, state) });
  const cache = useQueryClient();
  const done = make.data;
  return (
    <Dialog
      title="Branch from this state"
      isOpen
      onClose={onClose}
      footer={
        done ? (
          <Button look="primary" onClick={onClose}>
            Close
          </Button>
        ) : (
          <>
            <Button onClick={onClose}>Cancel</Button>
            <Button
              look="primary"
              disabled={make.isPending}
              onClick={() =>
                make.mutate(undefined, {
                  onSuccess: () => void cache.invalidateQueries({ queryKey: ["workspaces"] }),
                })
              }
            >
              {make.isPending ? "Copying…" : "Make the copy"}
            </Button>
          </>
        )
      }
    >
      {done ? (
        <>
          <p>The copy is there. What is recorded in it goes into the same tree.</p>
          <CopyLine text={`cd '${done.directory}'`} />
        </>
      ) : (
        <p>
          A working copy of <code>{shortId(state)}</code> is made in a new folder beside the workspace. Nothing in the
          workspace itself changes.
        </p>
      )}
      <ErrorLine error={make.error} />
    </Dialog>
  );
}
