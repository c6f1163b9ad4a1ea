import { foldersAbove } from "../../git/index.ts";
import type { FileChange, LeftOut } from "../snapshot-store.ts";

type Left = Pick<LeftOut, "path" | "sizeBytes"> & { readonly reason: string; readonly changedAt?: string | undefined };

/** What became, between two pictures, of something that one of them does not hold: no restore brings it back. */
export interface UnheldChange extends Pick<Left, "path" | "reason" | "sizeBytes"> {
  /**
   * `gone`: it is not there any more. `changed`: it is not the same. `replaced`: something that is held is in its place.
   * `unheld`: it was held and is not now. `added`: it is new.
   */
  readonly change: "gone" | "changed" | "replaced" | "unheld" | "added";
}

/** What one picture left out is neither deleted nor created: what became of such paths is told apart. */
export function compareLeftOut(
  pair: Readonly<Record<"before" | "after", readonly Left[]>> & { readonly changes: readonly FileChange[] },
): { readonly changes: readonly FileChange[]; readonly unheld: readonly UnheldChange[] } {
  const { before, after, changes } = pair;
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
  for (const left of after.filter(isCounted)) if (!unheld.has(left.path) && !was(left.path)) tell(left, "added");
  return { changes: known, unheld: [...unheld.values()].toSorted((left, right) => (left.path < right.path ? -1 : 1)) };
}

/** Whether two pictures left out the same; what the built-in rules name does not count. */
export function isSameLeftOut(left: readonly Left[], right: readonly Left[]): boolean {
  const [some, others] = [left.filter(isCounted), right.filter(isCounted)];
  const byPath = new Map(others.map((each) => [each.path, each]));
  return some.length === others.length && some.every((each) => isSameLeft(each, byPath.get(each.path)));
}

function isCounted({ reason }: Left): boolean {
  return reason !== "secret" && reason !== "heavy";
}

/** An older record does not tell when something was changed. */
function isSameLeft(left: Left, right: Left | undefined): boolean {
  if (left.reason !== right?.reason || left.sizeBytes !== right.sizeBytes) return false;
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

function createLookup(left: readonly Left[]): Lookup {
  const byPath = new Map(left.map((each) => [each.path, each]));
  return (path) => byPath.get([path, ...foldersAbove(path)].find((each) => byPath.has(each)) ?? "");
}
