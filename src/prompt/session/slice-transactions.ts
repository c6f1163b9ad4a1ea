import { AsyncLocalStorage } from "node:async_hooks";
import { ownValue } from "../../core/internal.ts";
import type { SliceChange, SliceContents, SliceStore } from "./slice-store.ts";

/** A piece of work whose changes of a session can be taken back, without those that others made meanwhile. */
export interface SliceTransaction {
  /** Runs the work; what it changes, in whatever it calls and awaits, belongs to the transaction. */
  run<Result>(work: () => Result): Result;
  /** Keeps the changes. A second end does nothing. */
  commit(): void;
  /** Takes the changes of state slices back; log slices stay. A second end does nothing. */
  rollback(): void;
}

/**
 * Makes the book of one store's transactions. While one is open, every change is kept with its owner; to take one back, the
 * slices go to what they were when the first began, and the changes of all others are made again.
 */
export function createTransactions(store: SliceStore) {
  const owners = new AsyncLocalStorage<readonly symbol[]>();
  const open = new Set<symbol>();
  let base: Contents = {};
  let noted: { readonly owners: readonly symbol[]; readonly change: () => void }[] = [];

  return {
    /** Remembers a change of state slices, to make it again, as long as a transaction is open. */
    note(change: () => void): void {
      if (open.size > 0) noted.push({ owners: owners.getStore() ?? [], change });
    },
    begin(written: (changes: readonly SliceChange[]) => void): SliceTransaction {
      const id = Symbol("transaction");
      if (open.size === 0) {
        base = store.contents();
        noted = [];
      }
      open.add(id);
      return {
        run: (work) => owners.run([...(owners.getStore() ?? []), id], work),
        commit: () => void open.delete(id),
        rollback() {
          if (!open.delete(id)) return;
          const before = store.contents();
          noted = noted.filter((each) => !each.owners.includes(id));
          store.restore(base);
          for (const { change } of noted) change();
          written(stateChanges(before, store.contents()));
        },
      };
    },
  };
}

type Contents = Readonly<Record<string, SliceContents>>;

function stateChanges(before: Contents, after: Contents): readonly SliceChange[] {
  return Object.entries(after)
    .filter(([slice, { policy, items }]) => policy === "state" && ownValue(before, slice)?.items !== items)
    .map(([slice, { policy, items }]) => ({ slice, policy, change: "replace", items }));
}
