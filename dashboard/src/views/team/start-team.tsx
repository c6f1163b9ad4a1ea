import { useMutation } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { api } from "../../data/api.ts";
import { useDraft } from "../../data/drafts.ts";
import { useHealth, useWorkspaces } from "../../data/queries.ts";
import { addressOf, useGo, useParam } from "../../data/url.ts";
import { keyText } from "../../frame/key-text.ts";
import { useKeys } from "../../frame/keys.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { baseName } from "../../parts/format.ts";
import { ErrorLine } from "../../parts/note.tsx";
import { Select } from "../../parts/select.tsx";
import { EMPTY_TEAM, mistakeInTeam, readTeamDraft, toStartTeam, type TeamDraft } from "./team-draft.ts";
import styles from "./team.module.css";

const ELSEWHERE = "-";

/** Starts a team: what is written survives a reload. */
export function StartTeam({ onClose }: { readonly onClose: () => void }): ReactNode {
  const [text, write] = useDraft("team");
  const workspaces = useWorkspaces().data?.workspaces ?? [];
  const kept = readTeamDraft(text);
  const draft = kept.workspace === "" ? { ...kept, workspace: workspaces[0]?.id ?? ELSEWHERE } : kept;
  const change = (part: Partial<TeamDraft>): void => write(JSON.stringify({ ...draft, ...part }));
  const health = useHealth().data;
  const allowsCommands = health?.allow_commands === true;
  const isReadOnly = health?.read_only === true;
  const go = useGo();
  // Only an address has a team played by the offline model: `?start=team&offline=team`.
  const offline = useParam("offline");
  const [mistake, setMistake] = useState<Error>();
  const start = useMutation({
    mutationFn: async () => await api.startTeam(toStartTeam(draft, { allowsCommands, offline })),
    onSuccess: ({ run }) => {
      write(JSON.stringify(EMPTY_TEAM));
      go(run.team === null ? addressOf.teams() : addressOf.team(run.team));
    },
  });
  const send = (): void => {
    const wrong = mistakeInTeam(draft);
    setMistake(wrong === undefined ? undefined : new Error(wrong));
    if (wrong === undefined) start.mutate();
  };
  const isOff = start.isPending || isReadOnly;
  useKeys([{ key: "mod+Enter", label: "Start the team", run: send, isDisabled: isOff }]);
  return (
    <Dialog
      title="Start a team"
      isOpen
      onClose={onClose}
      width="wide"
      footer={
        <>
          <ErrorLine error={mistake ?? start.error} />
          {isReadOnly && <p className="quiet">This server is read-only: it starts nothing.</p>}
          <Button onClick={onClose}>Close</Button>
          <Button look="primary" disabled={isOff} shortcut={keyText("mod+Enter")} onClick={send}>
            {start.isPending ? "Starting…" : "Start the team"}
          </Button>
        </>
      }
    >
      <form
        className={styles["form"]}
        onSubmit={(event) => {
          event.preventDefault();
          send();
        }}
      >
        <div>
          <Select
            label="In"
            value={draft.workspace}
            choices={[
              ...workspaces.map(({ id, path }) => ({ value: id, label: `${baseName(path)}  ${path}` })),
              { value: ELSEWHERE, label: "another directory" },
            ]}
            onChange={(workspace) => change({ workspace })}
          />
        </div>
        {draft.workspace === ELSEWHERE && (
          <label>
            Directory
            <input
              className="mono"
              placeholder="/home/you/app"
              spellCheck={false}
              value={draft.directory}
              onChange={({ target }) => change({ directory: target.value })}
            />
          </label>
        )}
        <Words draft={draft} change={change} allowsCommands={allowsCommands} />
        <Limits draft={draft} change={change} allowsCommands={allowsCommands} />
      </form>
    </Dialog>
  );
}

interface Fields {
  readonly draft: TeamDraft;
  readonly change: (part: Partial<TeamDraft>) => void;
  readonly allowsCommands: boolean;
}

function Words({ draft, change, allowsCommands }: Fields): ReactNode {
  return (
    <>
      <label>
        Goal
        <textarea
          rows={3}
          placeholder="What the team should bring about"
          value={draft.goal}
          onChange={({ target }) => change({ goal: target.value })}
        />
      </label>
      <label>
        Gates, one a line: commands that have to succeed before an item is accepted
        <textarea
          className="mono"
          rows={2}
          placeholder={allowsCommands ? "npm test" : "needs skein serve --allow-commands"}
          spellCheck={false}
          disabled={!allowsCommands}
          value={draft.gates}
          onChange={({ target }) => change({ gates: target.value })}
        />
      </label>
      <label>
        Protected files, one glob a line: no worker may change them
        <textarea
          className="mono"
          rows={2}
          placeholder="*.test.ts"
          spellCheck={false}
          value={draft.protect}
          onChange={({ target }) => change({ protect: target.value })}
        />
      </label>
    </>
  );
}

function Limits({ draft, change, allowsCommands }: Fields): ReactNode {
  const number = (label: string, name: "workers" | "rounds" | "budget" | "model", placeholder: string): ReactNode => (
    <label>
      {label}
      <input
        inputMode={name === "model" ? "text" : "decimal"}
        placeholder={placeholder}
        value={draft[name]}
        onChange={({ target }) => change({ [name]: target.value })}
      />
    </label>
  );
  return (
    <>
      <div className={styles["columns"]}>
        {number("Workers at once", "workers", "1")}
        {number("Rounds an attempt", "rounds", "3")}
        {number("Budget, $", "budget", "none")}
        {number("Model", "model", "as configured")}
      </div>
      <label className={styles["check"]}>
        <input
          type="checkbox"
          disabled={!allowsCommands}
          checked={draft.isApproving && allowsCommands}
          onChange={({ target }) => change({ isApproving: target.checked })}
        />
        Ask me to approve the plan
      </label>
      {!allowsCommands && (
        <p className="quiet small">
          Gates, and questions that are answered here, need <code>skein serve --allow-commands</code>.
        </p>
      )}
    </>
  );
}
