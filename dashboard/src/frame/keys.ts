import { useEffect, useRef } from "react";

/** A key and what it does, while the view that names it is shown. */
export interface KeyAction {
  /** As `KeyboardEvent.key` has it, or two in a row: `j`, `?`, `g r`; `mod+k` is Ctrl or Command with it. */
  readonly key: string;
  /** What it does, for the list of keys. */
  readonly label: string;
  readonly run: () => void;
  readonly isDisabled?: boolean;
}

const WITHIN_MS = 1000;

const held = new Set<() => readonly KeyAction[]>();
let first: { readonly key: string; readonly atMs: number } | undefined;

/** Has keys do something while the component is shown; the one that came last wins. Nothing happens while a person writes. */
export function useKeys(actions: readonly KeyAction[]): void {
  const current = useRef(actions);
  useEffect(() => {
    current.current = actions;
  });
  useEffect(() => {
    const read = (): readonly KeyAction[] => current.current;
    held.add(read);
    return () => {
      held.delete(read);
    };
  }, []);
}

/** All keys that do something at this moment, for the list of keys and the palette; of two for one key the one that came last. */
export function readKeys(): readonly KeyAction[] {
  const actions = [...held].flatMap((read) => read().filter(({ isDisabled }) => !isDisabled));
  return [...new Map(actions.map((action) => [action.key, action])).values()];
}

window.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.altKey || event.isComposing) return;
  const isMod = event.ctrlKey || event.metaKey;
  if (!isMod && isWriting(event.target)) return;
  const key = (isMod ? "mod+" : "") + event.key;
  const before = first && Date.now() - first.atMs < WITHIN_MS ? `${first.key} ${key}` : undefined;
  first = undefined;
  const actions = [...held].toReversed().flatMap((read) => read().filter(({ isDisabled }) => !isDisabled));
  const action = (before && actions.find((each) => each.key === before)) ?? actions.find((each) => each.key === key);
  if (action) {
    event.preventDefault();
    action.run();
  } else if (!isMod && actions.some((each) => each.key.startsWith(`${key} `))) {
    first = { key, atMs: Date.now() };
  }
});

/** In an open dialog or menu, and where text is written, keys are not the view's. */
function isWriting(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/u.test(target.tagName)) return true;
  return target.closest('[role="dialog"], [role="menu"], [role="listbox"]') !== null;
}
