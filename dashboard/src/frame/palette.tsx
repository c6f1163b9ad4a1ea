import type { ReactNode } from "react";
import { useState } from "react";
import { useWorkspaces } from "../data/queries.ts";
import { addressOf, useGo } from "../data/url.ts";
import { useLive } from "../data/use-live.ts";
import { Kbd } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { baseName } from "../parts/format.ts";
import { keyText } from "./key-text.ts";
import { useAllKeys } from "./keys.ts";
import styles from "./palette.module.css";

interface Entry {
  readonly id: string;
  readonly label: string;
  readonly detail?: string;
  readonly shortcut?: string;
  readonly run: () => void;
}

const MOST_SHOWN = 12;

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
  const found = useEntries(words).slice(0, MOST_SHOWN);
  const choose = (entry: Entry | undefined): void => {
    if (!entry) return;
    onClose();
    entry.run();
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
        aria-activedescendant={found[place] && `palette-${place}`}
        aria-label="Find a view, a workspace, a run, or what to do"
        placeholder="A view, a workspace, a run, or what to do"
        value={words}
        onChange={(event) => {
          setWords(event.target.value);
          setPlace(0);
        }}
        onKeyDown={(event) => {
          if (event.key === "ArrowDown") setPlace(Math.min(place + 1, found.length - 1));
          else if (event.key === "ArrowUp") setPlace(Math.max(place - 1, 0));
          else if (event.key === "Enter") choose(found[place]);
          else return;
          event.preventDefault();
        }}
      />
      <ul id="palette-list" role="listbox" aria-label="What was found" className={styles["list"]}>
        {found.map((entry, index) => (
          <li
            key={entry.id}
            id={`palette-${index}`}
            role="option"
            aria-selected={index === place}
            className={styles["entry"]}
          >
            <button type="button" tabIndex={-1} onClick={() => choose(entry)} onPointerMove={() => setPlace(index)}>
              <span className="cut">{entry.label}</span>
              {entry.detail !== undefined && (
                <span className={`cut quiet small ${styles["detail"]}`}>{entry.detail}</span>
              )}
              {entry.shortcut !== undefined && <Kbd>{keyText(entry.shortcut)}</Kbd>}
            </button>
          </li>
        ))}
      </ul>
      {found.length === 0 && (
        <p className="quiet">
          Nothing has this name. <kbd>Enter</kbd> in Sessions searches all words that were said.
        </p>
      )}
    </div>
  );
}

function useEntries(words: string): readonly Entry[] {
  const go = useGo();
  const keys = useAllKeys();
  const workspaces = useWorkspaces().data?.workspaces ?? [];
  const runs = useLive((live) => live.runs);
  const all: readonly Entry[] = [
    ...keys
      .filter(({ key }) => key !== "mod+k")
      .map(({ key, label, run }) => ({ id: `key:${key}`, label, shortcut: key, run })),
    ...[...runs.values()].toReversed().map(({ run, prompt, strategy, workspace }) => ({
      id: `run:${run}`,
      label: prompt ?? strategy ?? run,
      detail: `run in ${baseName(workspace)}`,
      run: () => go(addressOf.run(run)),
    })),
    ...workspaces.flatMap(({ id, path }) => [
      { id: `tree:${id}`, label: `${baseName(path)}: tree`, detail: path, run: () => go(addressOf.tree(id)) },
      { id: `files:${id}`, label: `${baseName(path)}: files`, detail: path, run: () => go(addressOf.files(id)) },
    ]),
  ];
  const wanted = words.toLowerCase().split(/\s+/u).filter(Boolean);
  return all.filter(({ label, detail = "" }) =>
    wanted.every((word) => `${label} ${detail}`.toLowerCase().includes(word)),
  );
}
