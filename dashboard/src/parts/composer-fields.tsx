import { useId, type ReactNode } from "react";
import { useWorkspaces } from "../data/queries.ts";
import { useLive } from "../data/use-live.ts";
import { AMOUNTS, DIRECTORY, isElsewhere, MODES, STRATEGIES } from "./composer-draft.ts";
import type { Composing } from "./composer.tsx";
import styles from "./composer.module.css";
import { baseName } from "./format.ts";
import { ErrorLine } from "./note.tsx";
import { Select } from "./select.tsx";

/** Where it runs: a workspace that is known, or a directory. */
export function PlaceFields({ draft, change, errorOf }: Composing): ReactNode {
  const workspaces = useWorkspaces().data?.workspaces ?? [];
  const { workspace, directory, from } = draft;
  return (
    <div className={styles["fields"]}>
      <Select
        label="In"
        value={isElsewhere(draft) ? DIRECTORY : workspace}
        choices={[
          ...workspaces.map(({ id, path }) => ({ value: id, label: `${baseName(path)}  ${path}` })),
          { value: DIRECTORY, label: "another directory" },
        ]}
        onChange={(next) => change({ workspace: next, from: "" })}
      />
      {isElsewhere(draft) && (
        <Field label="Directory" isWide>
          {(id) => (
            <input
              id={id}
              className="mono"
              placeholder="/home/you/app"
              spellCheck={false}
              value={directory}
              onChange={({ target }) => change({ directory: target.value })}
            />
          )}
        </Field>
      )}
      {from !== "" && (
        <span className="quiet small">
          from the state <code>{from.slice(0, 12)}</code>
        </span>
      )}
      <ErrorLine error={errorOf("workspace", "directory", "from")} />
    </div>
  );
}

const MODE_LABELS: Readonly<Record<(typeof MODES)[number], string>> = {
  "": "as configured",
  default: "ask for what no rule allows",
  acceptEdits: "edit files without asking",
  plan: "plan, change nothing",
  dontAsk: "deny what no rule allows",
  auto: "auto",
  bypassPermissions: "allow everything",
};

/** How it runs: what both kinds have. */
export function TurnFields({ draft, change, errorOf, allowsCommands }: Composing): ReactNode {
  const models = useKnownModels();
  const modelList = useId();
  const { kind, model, mode, budget, isAsking, isContinuing, from } = draft;
  const modes = MODES.filter((each) => each !== "bypassPermissions" || allowsCommands);
  return (
    <>
      <div className={styles["fields"]}>
        <Field label="Model">
          {(id) => (
            <>
              <input
                id={id}
                list={modelList}
                placeholder="as configured"
                spellCheck={false}
                value={model}
                onChange={({ target }) => change({ model: target.value })}
              />
              <datalist id={modelList}>
                {models.map((each) => (
                  <option key={each} value={each}>
                    {each}
                  </option>
                ))}
              </datalist>
            </>
          )}
        </Field>
        <Field label="Budget, $">
          {(id) => (
            <input
              id={id}
              className="number"
              inputMode="decimal"
              placeholder="none"
              size={6}
              value={budget}
              onChange={({ target }) => change({ budget: target.value })}
            />
          )}
        </Field>
        <Select
          label="Permissions"
          value={`m:${mode}`}
          choices={modes.map((each) => ({ value: `m:${each}`, label: MODE_LABELS[each] }))}
          onChange={(next) => change({ mode: MODES.find((each) => `m:${each}` === next) ?? "" })}
        />
        <Check
          label="Ask here"
          isChecked={isAsking && allowsCommands}
          isDisabled={!allowsCommands}
          onChange={(checked) => change({ isAsking: checked })}
        />
        {kind === "turn" && from === "" && (
          <Check
            label="Go on with the last conversation"
            isChecked={isContinuing}
            onChange={(checked) => change({ isContinuing: checked })}
          />
        )}
      </div>
      <ErrorLine error={errorOf("model", "permission_mode", "max_cost_usd", "ask")} />
      {!allowsCommands && (
        <p className="quiet small">
          Calls that no rule allows are denied. To answer them here, to allow everything, or to give rewards by a
          command, start the server with <code>skein serve --allow-commands</code>.
        </p>
      )}
    </>
  );
}

/** How a search chooses what to try, and what is good. */
export function SearchFields({ draft, change, errorOf, allowsCommands }: Composing): ReactNode {
  const { strategy, amount, reward, threshold } = draft;
  const { label, field } = AMOUNTS[strategy];
  return (
    <>
      <div className={styles["fields"]}>
        <Select
          label="Strategy"
          value={strategy}
          choices={STRATEGIES.map((value) => ({ value, label: value }))}
          onChange={(next) => change({ strategy: next })}
        />
        <Field label={label}>
          {(id) => (
            <input
              id={id}
              className="number"
              inputMode="numeric"
              placeholder="default"
              size={6}
              value={amount}
              onChange={({ target }) => change({ amount: target.value })}
            />
          )}
        </Field>
        <Field label="Stop at a reward of">
          {(id) => (
            <input
              id={id}
              className="number"
              inputMode="decimal"
              placeholder="none"
              size={6}
              value={threshold}
              onChange={({ target }) => change({ threshold: target.value })}
            />
          )}
        </Field>
        {allowsCommands && (
          <Field label="Reward by the command" isWide>
            {(id) => (
              <input
                id={id}
                className="mono"
                placeholder="npm test"
                spellCheck={false}
                value={reward}
                onChange={({ target }) => change({ reward: target.value })}
              />
            )}
          </Field>
        )}
      </div>
      <ErrorLine error={errorOf("strategy", field, "threshold", "reward")} />
    </>
  );
}

/** The models that runs of late were answered by. */
function useKnownModels(): readonly string[] {
  const runs = useLive((live) => live.runs);
  return [...new Set([...runs.values()].flatMap(({ model }) => (model === null ? [] : [model])))].toSorted();
}

function Field({
  label,
  isWide = false,
  children,
}: {
  readonly label: string;
  readonly isWide?: boolean;
  readonly children: (id: string) => ReactNode;
}): ReactNode {
  const id = useId();
  return (
    <span className={styles["field"]} data-wide={isWide}>
      <label htmlFor={id}>{label}</label>
      {children(id)}
    </span>
  );
}

function Check({
  label,
  isChecked,
  isDisabled = false,
  onChange,
}: {
  readonly label: string;
  readonly isChecked: boolean;
  readonly isDisabled?: boolean;
  readonly onChange: (isChecked: boolean) => void;
}): ReactNode {
  return (
    <label className={styles["check"]}>
      <input
        type="checkbox"
        checked={isChecked}
        disabled={isDisabled}
        onChange={({ target }) => onChange(target.checked)}
      />
      {label}
    </label>
  );
}
