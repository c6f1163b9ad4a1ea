import { groupBy } from "../../core/internal.ts";
import {
  type BytePath,
  formatIndexListing,
  type IndexEntry,
  parseStoredIndex,
  readTree,
  toText,
  writeLooseTree,
} from "../../git/index.ts";
import type { SnapshotReader } from "../snapshot-reader.ts";
import type { Conflict } from "./conflict-error.ts";
import type { OnConflict } from "./merge-files.ts";

/** A snapshot's own entries, by name. */
type Top = ReadonlyMap<BytePath, string>;

type GitToMerge = Readonly<Record<"now" | "after" | "before", Top>> & { readonly onConflict: OnConflict };

interface MergedGit {
  /** The content of `git.json` and `git-index`. */
  readonly sidecars: ReadonlyMap<string, Buffer>;
  readonly objectsTree: string | undefined;
  readonly conflicts: readonly Conflict[];
}

/** Takes back what a turn did to HEAD, its branch and the index; what was staged since is kept, path by path. */
export async function mergeGit(reader: SnapshotReader, git: GitToMerge): Promise<MergedGit> {
  const { now, after, before, onConflict } = git;
  const head = pick("git.json", git);
  // A repository that the turn made stays, as commits that it made do.
  if (head === "clash" && before.has("git.json") && after.has("git.json") && now.has("git.json")) {
    const side = onConflict === "discard" ? before : now;
    return { ...(await readSides(reader, side, side)), conflicts: [{ path: ".git/HEAD", why: "git-head" }] };
  }
  const index = pick("git-index", git);
  if (head === "clash" || !now.has("git.json")) return { ...(await readSides(reader, now, now)), conflicts: [] };
  if (index !== "clash") return { ...(await readSides(reader, head, index)), conflicts: [] };
  const { sidecars } = await readSides(reader, head, new Map());
  const { listing, conflicts } = await mergeIndexes(reader, git);
  return {
    sidecars: sidecars.set("git-index", listing),
    objectsTree: await joinObjects(reader, now, before),
    conflicts,
  };
}

/** The side whose entry is wanted, where it is that of one. */
function pick(name: string, { now, after, before }: GitToMerge): Top | "clash" {
  const [n, a, b] = [now.get(name), after.get(name), before.get(name)];
  if (a === b || n === b) return now;
  return n === a && b !== undefined ? before : "clash";
}

/** Where HEAD stands by one side, and what is staged by another. */
async function readSides({ objects }: SnapshotReader, head: Top, index: Top) {
  const sidecars = new Map<string, Buffer>();
  const oids = { "git.json": head.get("git.json"), "git-index": index.get("git-index") };
  for (const [name, oid] of Object.entries(oids)) {
    if (oid !== undefined) sidecars.set(name, await objects.content(oid));
  }
  return { sidecars, objectsTree: index.get("git-objects") };
}

async function mergeIndexes(reader: SnapshotReader, { now, after, before, onConflict }: GitToMerge) {
  const [n, a, b] = [
    await readEntries(reader, now),
    await readEntries(reader, after),
    await readEntries(reader, before),
  ];
  const conflicts: Conflict[] = [];
  const entries: IndexEntry[] = [];
  for (const path of [...new Set([...n.keys(), ...b.keys()])].toSorted()) {
    const [mine, theirs, base] = [n.get(path) ?? [], b.get(path) ?? [], a.get(path) ?? []];
    const isClash = !isSame(mine, base) && !isSame(base, theirs) && !isSame(mine, theirs);
    if (isClash) conflicts.push({ path: toText(path), why: "git-index" });
    const takesBack = isClash ? onConflict === "discard" : isSame(mine, base);
    entries.push(...(takesBack ? theirs : mine));
  }
  return { listing: formatIndexListing(entries), conflicts };
}

async function readEntries({ objects }: SnapshotReader, top: Top) {
  const oid = top.get("git-index");
  const entries = oid === undefined ? [] : parseStoredIndex(await objects.content(oid));
  return groupBy(entries, ({ path }) => path);
}

function isSame(left: readonly IndexEntry[], right: readonly IndexEntry[]): boolean {
  return formatIndexListing(left).equals(formatIndexListing(right));
}

/** Content that was staged on either side. */
async function joinObjects(reader: SnapshotReader, now: Top, before: Top): Promise<string | undefined> {
  const trees = [now.get("git-objects"), before.get("git-objects")].filter((oid) => oid !== undefined);
  const lines = await Promise.all(trees.map((oid) => readTree(reader.objects, oid)));
  const entries = new Map(lines.flat().map((entry) => [entry.name, entry]));
  return entries.size === 0 ? undefined : await writeLooseTree(reader.repository.gitDirectory, [...entries.values()]);
}
