import { useMutation } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { Link } from "wouter";
import { api } from "../../data/api.ts";
import { addressOf } from "../../data/url.ts";
import { Button } from "../../parts/button.tsx";
import { CopyLine } from "../../parts/copy.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { ErrorLine } from "../../parts/note.tsx";
import styles from "./sessions.module.css";
import type { Session } from "./use-sessions.ts";

/** Goes on with a session as a recorded conversation: what that will do is said before it does. */
export function ImportDialog({
  session,
  onClose,
}: {
  readonly session: Session;
  readonly onClose: () => void;
}): ReactNode {
  const [directory, setDirectory] = useState(session.project ?? "");
  const bring = useMutation({
    mutationFn: async () => await api.importSession(session.session_id, { directory: directory.trim() }),
  });
  const done = bring.data;
  return (
    <Dialog
      title={done ? "Recorded" : "Continue as a recorded conversation"}
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
            <Button look="primary" disabled={bring.isPending || directory.trim() === ""} onClick={() => bring.mutate()}>
              {bring.isPending ? "Recording" : "Record its beginning"}
            </Button>
          </>
        )
      }
    >
      {done ? (
        <div className={styles["form"]}>
          <p>
            The conversation begins with{" "}
            <Link href={addressOf.state(done.workspace_id, done.state_id)}>the state {done.state_id.slice(0, 12)}</Link>
            . The next turn goes on from here:
          </p>
          <CopyLine text={`skein run "…" --continue --cwd '${done.workspace.replaceAll("'", String.raw`'\''`)}'`} />
        </div>
      ) : (
        <div className={styles["form"]}>
          <ul className={styles["effects"]}>
            <li>A state is recorded of the directory as it is now, with a copy of the session.</li>
            <li>The conversation becomes the directory&apos;s: what runs there with --continue goes on with it.</li>
            <li>
              No file of the directory changes, no agent runs, nothing is paid, and Claude Code&apos;s own transcript
              stays as it is.
            </li>
          </ul>
          <label>
            Directory
            <input
              value={directory}
              className="mono"
              spellCheck={false}
              onChange={(event) => setDirectory(event.target.value)}
            />
          </label>
          <ErrorLine error={bring.error} />
        </div>
      )}
    </Dialog>
  );
}
