import { useMutation } from "@tanstack/react-query";
import { Square } from "lucide-react";
import { useState, type ReactNode } from "react";
import type { RunData } from "../../../../src/monitor/api-types.ts";
import { api } from "../../data/api.ts";
import { useHealth } from "../../data/queries.ts";
import { useRunLog } from "../../data/use-run-log.ts";
import { useKeys } from "../../frame/keys.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { ErrorLine } from "../../parts/note.tsx";
import { Select } from "../../parts/select.tsx";
import { textOf } from "../../parts/tool-words.ts";
import styles from "./run.module.css";

/** From the tightest to the loosest: a turn may go on with one that is no looser than the one it began with. */
const MODES = ["plan", "default", "acceptEdits", "bypassPermissions"] as const;

const MODE_NAMES: Readonly<Record<string, string>> = {
  plan: "Plan only",
  default: "Ask",
  acceptEdits: "Accept edits",
  bypassPermissions: "Ask nothing",
};

/** Has a turn go on with another model, or a permission mode that is no looser than the one it began with. */
export function RunSettings({ run }: { readonly run: RunData }): ReactNode {
  const isReadOnly = useHealth().data?.read_only === true;
  const [isModelAsked, askModel] = useState(false);
  const begun = useBegunMode(run.run);
  const [mode, setMode] = useState<string | undefined>();
  const change = useMutation({
    mutationFn: async (body: { readonly model?: string; readonly permission_mode?: string }) =>
      await api.changeRun(run.run, body),
    onSuccess: (_, body) => body.permission_mode !== undefined && setMode(body.permission_mode),
  });
  const shownMode = mode ?? begun;
  if (isReadOnly || run.kind !== "turn" || shownMode === undefined) return null;
  const allowed = MODES.slice(0, Math.max(1, MODES.findIndex((each) => each === begun) + 1));
  return (
    <>
      <ErrorLine error={change.error} />
      <Select
        label="Permissions"
        isLabelShown={false}
        value={shownMode}
        choices={allowed.map((value) => ({ value: value as string, label: MODE_NAMES[value] ?? value }))}
        onChange={(next) => change.mutate({ permission_mode: next })}
      />
      <Button onClick={() => askModel(true)} title="Go on with another model">
        {run.model ?? "Model"}
      </Button>
      {isModelAsked && (
        <ModelDialog
          current={run.model ?? ""}
          onClose={() => askModel(false)}
          onChoose={(model) => {
            change.mutate({ model });
            askModel(false);
          }}
        />
      )}
    </>
  );
}

const STOPS: Readonly<Record<string, string>> = {
  search: "The search stops, and the turns that it ended stay.",
  team: "The team stops: what is merged stays, and it can go on later.",
};

/** Stops a run, once that is confirmed. */
export function InterruptButton({ run }: { readonly run: RunData }): ReactNode {
  const isReadOnly = useHealth().data?.read_only === true;
  const [isAsking, setAsking] = useState(false);
  const interrupt = useMutation({ mutationFn: async () => await api.interruptRun(run.run) });
  const isNone = isReadOnly || run.kind === "program";
  useKeys([{ key: "i", label: "Interrupt the run", run: () => setAsking(true), isDisabled: isNone }]);
  if (isNone) return null;
  return (
    <>
      <ErrorLine error={interrupt.error} />
      <Button
        size="small"
        look="danger"
        icon={<Square />}
        shortcut="i"
        disabled={interrupt.isPending}
        onClick={() => setAsking(true)}
      >
        {interrupt.isPending || interrupt.isSuccess ? "Stopping" : "Interrupt"}
      </Button>
      {isAsking && (
        <Dialog
          title="Interrupt this run?"
          isOpen
          onClose={() => setAsking(false)}
          footer={
            <>
              <Button onClick={() => setAsking(false)}>Let it go on</Button>
              <Button
                look="danger"
                onClick={() => {
                  interrupt.mutate();
                  setAsking(false);
                }}
              >
                Interrupt
              </Button>
            </>
          }
        >
          <p>
            {STOPS[run.kind] ?? "The agent stops where it is."} It is recorded as cancelled; files stay as they are now.
          </p>
        </Dialog>
      )}
    </>
  );
}

function useBegunMode(run: string): string | undefined {
  const { lines } = useRunLog(run);
  const begun = lines.find(({ event }) => event.type === "turn-start");
  return begun && (textOf(begun.event, "permission_mode") || undefined);
}

function ModelDialog({
  current,
  onClose,
  onChoose,
}: {
  readonly current: string;
  readonly onClose: () => void;
  readonly onChoose: (model: string) => void;
}): ReactNode {
  const [model, setModel] = useState(current);
  return (
    <Dialog
      title="Go on with another model"
      isOpen
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            look="primary"
            disabled={model.trim() === "" || model === current}
            onClick={() => onChoose(model.trim())}
          >
            Change the model
          </Button>
        </>
      }
    >
      <div className={styles["form"]}>
        <label>
          Model
          <input value={model} list="models" onChange={(event) => setModel(event.target.value)} />
        </label>
        <datalist id="models">
          {["opus", "sonnet", "haiku"].map((each) => (
            <option key={each} value={each}>
              {each}
            </option>
          ))}
        </datalist>
        <p className="quiet small">It holds from the next response on, for the rest of this turn.</p>
      </div>
    </Dialog>
  );
}
