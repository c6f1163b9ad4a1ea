import { useId, useLayoutEffect, useRef, useState, type KeyboardEvent, type ReactNode } from "react";
import { useSuggestions } from "../data/queries.ts";
import { complete, completingAt } from "./completion.ts";
import { isElsewhere } from "./composer-draft.ts";
import styles from "./composer.module.css";
import { plainLine } from "./plain.ts";

const MOST_LETTERS = 100_000;

/** A prompt as it is written: `@` offers files and `/` commands of the workspace, and files that are pasted are sent along. */
export function PromptField({
  label,
  placeholder,
  rows,
  isFocused,
  workspace,
  value,
  onChange,
  onFiles,
}: {
  readonly label: string;
  readonly placeholder: string;
  readonly rows: number;
  readonly isFocused: boolean;
  /** The workspace whose files and commands are offered. */
  readonly workspace: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly onFiles: ((files: readonly File[]) => void) | undefined;
}): ReactNode {
  const field = useRef<HTMLTextAreaElement>(null);
  const listId = useId();
  const { offered, chosen, isOpen, look, close, keyDown, choose } = useCompletion({
    value,
    workspace,
    onChange,
    field,
  });
  return (
    <div className={styles["promptBox"]}>
      <textarea
        ref={field}
        // oxlint-disable-next-line jsx-a11y/no-autofocus -- the form was opened to write a prompt
        autoFocus={isFocused}
        className={styles["prompt"]}
        aria-autocomplete="list"
        aria-haspopup="listbox"
        aria-controls={listId}
        aria-activedescendant={isOpen ? `${listId}-${chosen}` : undefined}
        aria-label={label}
        placeholder={placeholder}
        rows={rows}
        maxLength={MOST_LETTERS}
        value={value}
        onChange={({ target }) => onChange(target.value)}
        onSelect={({ currentTarget }) => look(currentTarget.selectionStart)}
        onBlur={close}
        onKeyDown={keyDown}
        onPaste={(event) => {
          const files = [...event.clipboardData.files];
          if (files.length === 0 || onFiles === undefined) return;
          event.preventDefault();
          onFiles(files);
        }}
      />
      <ul id={listId} role="listbox" aria-label="What can be named" className={styles["offered"]} hidden={!isOpen}>
        {offered.map(({ kind, name, description }, place) => (
          // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- the field has the focus and the keys of the whole list
          <li
            key={`${kind} ${name}`}
            id={`${listId}-${place}`}
            role="option"
            aria-selected={place === chosen}
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => choose(place)}
          >
            <span className={`cut ${kind === "file" ? "mono" : ""}`} dir="ltr">
              {plainLine(name)}
            </span>
            {kind !== "file" && <span className="quiet small">{kind}</span>}
            {description !== null && <span className="cut quiet small">{plainLine(description, 200)}</span>}
          </li>
        ))}
      </ul>
    </div>
  );
}

function useCompletion({
  value,
  workspace,
  onChange,
  field,
}: {
  readonly value: string;
  readonly workspace: string;
  readonly onChange: (value: string) => void;
  readonly field: { readonly current: HTMLTextAreaElement | null };
}) {
  const [caret, setCaret] = useState<number | undefined>();
  const [place, setPlace] = useState(0);
  const nextCaret = useRef<number | undefined>(undefined);
  const completing =
    caret === undefined || isElsewhere({ workspace }) ? undefined : completingAt(value, Math.min(caret, value.length));
  const offered = useSuggestions(workspace, completing).data?.suggestions ?? [];
  const isOpen = completing !== undefined && offered.length > 0;
  const chosen = Math.min(place, offered.length - 1);
  // After each drawing: the caret can only be put where the text is already.
  useLayoutEffect(() => {
    if (nextCaret.current !== undefined) field.current?.setSelectionRange(nextCaret.current, nextCaret.current);
    nextCaret.current = undefined;
  });
  const choose = (which: number): void => {
    const suggestion = offered[which];
    if (!completing || !suggestion) return;
    const done = complete(value, completing, suggestion.name);
    nextCaret.current = done.caret;
    setCaret(undefined);
    onChange(done.text);
  };
  const keyDown = (event: KeyboardEvent): void => {
    if (!isOpen || event.nativeEvent.isComposing || event.ctrlKey || event.metaKey) return;
    if (event.key === "ArrowDown") setPlace((chosen + 1) % offered.length);
    else if (event.key === "ArrowUp") setPlace((chosen + offered.length - 1) % offered.length);
    else if (event.key === "Enter" || event.key === "Tab") choose(chosen);
    else if (event.key === "Escape") setCaret(undefined);
    else return;
    event.preventDefault();
    // Escape closes what is offered, not the form.
    event.stopPropagation();
  };
  const look = (at: number): void => {
    setCaret(at);
    setPlace(0);
  };
  return { offered: isOpen ? offered : [], chosen, isOpen, look, close: () => setCaret(undefined), keyDown, choose };
}
