import { useRef, useState, type ReactNode } from "react";
import { addressOf, useGo } from "../data/url.ts";
import { Kbd } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import type { Entry } from "./find-entries.ts";
import { keyText } from "./key-text.ts";
import styles from "./palette.module.css";
import { useEntries } from "./use-entries.ts";

/** Everything that can be gone to or done, by a few letters of its name. */
export function Palette({ isOpen, onClose }: { readonly isOpen: boolean; readonly onClose: () => void }): ReactNode {
  return (
    <Dialog title="Find" isOpen={isOpen} onClose={onClose}>
      {isOpen && <Finder onClose={onClose} />}
    </Dialog>
  );
}

function Finder({ onClose }: { readonly onClose: () => void }): ReactNode {
  const [words, setWords] = useState("");
  const [place, setPlace] = useState(0);
  const list = useRef<HTMLUListElement>(null);
  const go = useGo();
  const { entries, isSearching } = useEntries(words);
  const chosen = Math.min(place, entries.length - 1);
  const choose = (entry: Entry | undefined): void => {
    if (!entry) return;
    onClose();
    entry.run();
  };
  const move = (to: number): void => {
    const next = Math.max(0, Math.min(entries.length - 1, to));
    setPlace(next);
    list.current?.querySelector(`#palette-${next}`)?.scrollIntoView({ block: "nearest" });
  };
  return (
    <div className={styles["finder"]}>
      <input
        // oxlint-disable-next-line jsx-a11y/no-autofocus -- it is opened to be written in
        autoFocus
        className={styles["input"]}
        role="combobox"
        aria-expanded
        aria-controls="palette-list"
        aria-activedescendant={entries[chosen] && `palette-${chosen}`}
        aria-label="Find anything"
        placeholder="A run, a workspace, an action, words that were said"
        value={words}
        onChange={({ target }) => {
          setWords(target.value);
          setPlace(0);
        }}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing) return;
          if (event.key === "ArrowDown") move(chosen + 1);
          else if (event.key === "ArrowUp") move(chosen - 1);
          else if (event.key === "PageDown") move(chosen + 8);
          else if (event.key === "PageUp") move(chosen - 8);
          else if (event.key === "Enter") choose(entries[chosen]);
          else return;
          event.preventDefault();
        }}
      />
      <ul ref={list} id="palette-list" role="listbox" aria-label="What was found" className={styles["list"]}>
        {entries.map((entry, index) => (
          <Row
            key={entry.id}
            entry={entry}
            place={index}
            isFirst={entries[index - 1]?.group !== entry.group}
            isChosen={index === chosen}
            onChoose={() => choose(entry)}
            onPoint={() => setPlace(index)}
          />
        ))}
      </ul>
      <p className={`quiet small ${styles["foot"]}`} role="status">
        {isSearching ? "Searching…" : entries.length === 0 ? "Nothing has this name." : ""}
        {words.trim() !== "" && (
          <button
            type="button"
            className={styles["all"]}
            onClick={() => {
              onClose();
              go(`${addressOf.sessions()}?words=${encodeURIComponent(words.trim())}`);
            }}
          >
            All that was said with these words
          </button>
        )}
      </p>
    </div>
  );
}

function Row({
  entry,
  place,
  isFirst,
  isChosen,
  onChoose,
  onPoint,
}: {
  readonly entry: Entry;
  readonly place: number;
  /** Whether it is the first of its group. */
  readonly isFirst: boolean;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
  readonly onPoint: () => void;
}): ReactNode {
  return (
    <>
      {isFirst && (
        <li role="presentation" className={styles["group"]}>
          {entry.group}
        </li>
      )}
      {/* oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- the input above has the focus and the keys of the whole list */}
      <li
        id={`palette-${place}`}
        role="option"
        aria-selected={isChosen}
        className={styles["entry"]}
        onClick={onChoose}
        onPointerMove={onPoint}
      >
        <span className="cut">{entry.label}</span>
        {entry.detail !== undefined && (
          <span className={`cut quiet small ${styles["detail"]}`} title={entry.detail}>
            {entry.detail}
          </span>
        )}
        {entry.shortcut?.split(" ").map((key) => (
          <Kbd key={key}>{keyText(key)}</Kbd>
        ))}
      </li>
    </>
  );
}
