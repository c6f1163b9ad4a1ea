import { foldersAbove } from "../../git/index.ts";
import type { FileChange, LeftOut } from "../snapshot-store.ts";

/** What a picture of a directory left out. */
type Left = Pick<LeftOut, "path" | "sizeBytes"> & { readonly reason: string; readonly changedAt?: string | undefined };

/** What became, between two pictures, of something that one of them does not hold: no restore brings it back. */
export interface UnheldChange {
  readonly path: string;
  /** Why it was, or is, not held. */
  readonly reason: string;
  readonly sizeBytes: number;
  /**
   * `gone`: it is not there any more. `changed`: it is not the same. `replaced`: something that is held is in its place.
   * `unheld`: it was held and is not now. `added`: it is new.
   */
  readonly change: "gone" | "changed" | "replaced" | "unheld" | "added";
}

interface LeftOutPair {
  readonly before: readonly Left[];
  readonly after: readonly Left[];
  readonly changes: readonly FileChange[];
}

/**
 * Tells what is really known of two pictures: a file that the later one left out is not deleted, and one that the earlier
 * one left out is not created. What became of such paths is told apart.
 */
export function compareLeftOut({ before, after, changes }: LeftOutPair): {
  readonly changes: readonly FileChange[];
  readonly unheld: readonly UnheldChange[];
} {
  if (before.length === 0 && after.length === 0) return { changes, unheld: [] };
  const was = createLookup(before);
  const is = createLookup(after);
  const known: FileChange[] = [];
  const unheld = new Map<string, UnheldChange>();
  const tell = ({ path, reason, sizeBytes }: Left, change: UnheldChange["change"]): void => {
    unheld.set(path, { path, reason, sizeBytes, change });
  };
  for (const change of changes.flatMap((each) => unfold(each, was, is))) {
    const [lost, found] = [change.type === "deleted" && is(change.path), change.type === "created" && was(change.path)];
    if (lost) tell(lost, "unheld");
    else if (found) tell(found, "replaced");
    else known.push(change);
  }
  for (const left of before) {
    const now = after.find(({ path }) => path === left.path);
    if (!now && !is(left.path) && !unheld.has(left.path)) tell(left, "gone");
    if (now && !isSameLeft(left, now)) tell(now, "changed");
  }
  for (const left of after) {
    const isNew = !unheld.has(left.path) && !was(left.path) && left.reason !== "secret" && left.reason !== "heavy";
    if (isNew) tell(left, "added");
  }
  return { changes: known, unheld: [...unheld.values()].toSorted((left, right) => (left.path < right.path ? -1 : 1)) };
}

/** Whether two pictures left out the same; what the built-in rules name does not count. */
export function isSameLeftOut(left: readonly Left[], right: readonly Left[]): boolean {
  const isCounted = ({ reason }: Left): boolean => reason !== "secret" && reason !== "heavy";
  const [some, others] = [left.filter(isCounted), right.filter(isCounted)];
  const byPath = new Map(others.map((each) => [each.path, each]));
  return (
    some.length === others.length &&
    some.every((each) => {
      const other = byPath.get(each.path);
      return other !== undefined && isSameLeft(each, other);
    })
  );
}

/** An older record does not tell when something was changed. */
function isSameLeft(left: Left, right: Left): boolean {
  if (left.reason !== right.reason || left.sizeBytes !== right.sizeBytes) return false;
  return left.changedAt === undefined || right.changedAt === undefined || left.changedAt === right.changedAt;
}

/** A name that was left out on one side is no part of a rename. */
function unfold(change: FileChange, was: Lookup, is: Lookup): readonly FileChange[] {
  if (change.type !== "renamed" || !(is(change.from) || was(change.path))) return [change];
  const { path, from, before, after } = change;
  return [
    { type: "deleted", path: from, before },
    { type: "created", path, after },
  ];
}

type Lookup = (path: string) => Left | undefined;

/** Finds what was left out at a path or above it. */
function createLookup(left: readonly Left[]): Lookup {
  const byPath = new Map(left.map((each) => [each.path, each]));
  return (path) => {
    const found = [path, ...foldersAbove(path)].find((each) => byPath.has(each));
    return found === undefined ? undefined : byPath.get(found);
  };
}
