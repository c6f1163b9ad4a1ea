import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BytePath, collectGit, gitError, toText } from "../../git/index.ts";
import { type Difference, isSameState } from "../listing.ts";
import type { FileState } from "../snapshot-store.ts";
import type { Conflict } from "./conflict-error.ts";

/** What becomes of paths where a person and a turn both changed something. */
export type OnConflict = "refuse" | "discard" | "merge";

interface FilesToMerge {
  /** What the turn did, from after it (`before` in the difference) back to before it (`after`). */
  readonly turn: readonly Difference[];
  /** Files that the turn renamed: from its old name to its new one. */
  readonly turnRenames: ReadonlyMap<BytePath, BytePath>;
  /** Files that were renamed since the turn, likewise; asked for only where one is missing. */
  renamesSince(): Promise<ReadonlyMap<BytePath, BytePath>>;
  /** A file as it is now. */
  now(path: BytePath): FileState | undefined;
  /** Whether a state holds nothing at a path because it left out what is there. */
  wasLeftOut(path: BytePath, when: "before" | "after"): boolean;
  /** Merges content by its ids. */
  merge(texts: { readonly [Side in keyof ThreeTexts]: string }): Promise<MergedText>;
  /** Takes new content, and gives its id. */
  keep(content: Buffer): Promise<string>;
  readonly onConflict: OnConflict;
}

/** What is to be made of the files: each path that changes, undefined where it goes. */
export interface MergedFiles {
  readonly edits: ReadonlyMap<BytePath, FileState | undefined>;
  /** Paths in which both sides' changes were brought together. */
  readonly merged: readonly BytePath[];
  readonly conflicts: readonly Conflict[];
  /** What the state before had left out, so that nobody can tell what it was: it stays. */
  readonly kept: readonly BytePath[];
}

interface Merging extends FilesToMerge {
  readonly edits: Map<BytePath, FileState | undefined>;
  readonly merged: BytePath[];
  readonly conflicts: Conflict[];
  readonly kept: BytePath[];
}

/** Takes back what a turn did to files, and keeps what was done to them since. */
export async function mergeFiles(files: FilesToMerge): Promise<MergedFiles> {
  const merging: Merging = { ...files, edits: new Map(), merged: [], conflicts: [], kept: [] };
  const open = new Map(files.turn.map((difference) => [difference.path, difference]));
  for (const [from, to] of files.turnRenames) {
    if (!(await followRename(merging, open.get(from), open.get(to)))) continue;
    open.delete(from);
    open.delete(to);
  }
  for (const difference of open.values()) await takeBackPath(merging, difference);
  return merging;
}

/** A file that the turn renamed and that was changed since goes back to its old name with the change. */
async function followRename(merging: Merging, gone?: Difference, made?: Difference): Promise<boolean> {
  const now = made && merging.now(made.path);
  if (!gone?.after || !made?.before || !now || isSame(now, made.before) || merging.now(gone.path)) return false;
  const merged = await mergeStates(merging, made.path, { now, after: made.before, before: gone.after });
  if (merged === undefined) return true;
  merging.edits.set(made.path, undefined);
  merging.edits.set(gone.path, merged);
  return true;
}

async function takeBackPath(merging: Merging, { path, before: after, after: before }: Difference): Promise<void> {
  const { edits, kept, conflicts, onConflict } = merging;
  const now = merging.now(path);
  if (!before && now && merging.wasLeftOut(path, "before")) return void kept.push(path);
  if (isSame(now, before)) return;
  // Nobody knows what the turn left where that was left out: what is there now is taken for it.
  if (isSame(now, after) || (!after && merging.wasLeftOut(path, "after"))) return void edits.set(path, before);
  if (now && after && before) {
    const merged = await mergeStates(merging, path, { now, after, before });
    if (merged) edits.set(path, merged);
    return;
  }
  if (!now && after && before) {
    const renamed = (await merging.renamesSince()).get(path);
    const there = renamed === undefined ? undefined : merging.now(renamed);
    if (renamed !== undefined && there) {
      const merged = await mergeStates(merging, renamed, { now: there, after, before });
      return void (merged && edits.set(renamed, merged));
    }
  }
  conflicts.push({ path: toText(path), why: !now ? "deleted" : after ? "created" : "replaced" });
  if (onConflict === "discard") edits.set(path, before);
}

interface ThreeStates {
  readonly now: FileState;
  readonly after: FileState;
  readonly before: FileState;
}

/** Brings content and permissions together, each for itself; undefined where the file stays as it is. */
async function mergeStates(
  merging: Merging,
  path: BytePath,
  { now, after, before }: ThreeStates,
): Promise<FileState | undefined> {
  const mode = now.mode === after.mode ? before.mode : now.mode;
  const clash = (why: Conflict["why"], marked?: FileState): FileState | undefined => {
    merging.conflicts.push({ path: toText(path), why });
    return merging.onConflict === "discard" ? before : merging.onConflict === "merge" ? marked : undefined;
  };
  if (now.kind !== after.kind || after.kind !== before.kind) return clash("replaced");
  if (now.contentId === after.contentId || after.contentId === before.contentId || now.contentId === before.contentId) {
    const { contentId = "" } = now.contentId === after.contentId ? before : now;
    return { kind: now.kind, mode, contentId };
  }
  if (now.kind !== "file") return clash("content");
  const texts = { now: now.contentId ?? "", after: after.contentId ?? "", before: before.contentId ?? "" };
  const result = await merging.merge(texts);
  if (result.type === "binary") return clash("content");
  const made: FileState = { kind: "file", mode, contentId: await merging.keep(result.content) };
  if (result.type === "marked") return clash("content", made);
  merging.merged.push(path);
  return made;
}

function isSame(left: FileState | undefined, right: FileState | undefined): boolean {
  return left && right ? isSameState(left, right) : left === right;
}

interface ThreeTexts {
  /** What a person has made of it. */
  readonly now: Buffer;
  /** What the turn had left. */
  readonly after: Buffer;
  /** What it was before the turn. */
  readonly before: Buffer;
}

/** The merged text; with marks where both sides changed the same lines, and none where it is not text. */
type MergedText = { readonly type: "clean" | "marked"; readonly content: Buffer } | { readonly type: "binary" };

/** Takes one side's change of a text back and keeps the other's, line by line, as git merges. */
export async function mergeContent(gitDirectory: string, { now, after, before }: ThreeTexts): Promise<MergedText> {
  const folder = await mkdtemp(join(tmpdir(), "skein-merge-"));
  try {
    for (const [name, content] of Object.entries({ now, after, before })) await writeFile(join(folder, name), content);
    const labels = ["since the turn", "after the turn", "before the turn"].flatMap((label) => ["-L", label]);
    const args = ["merge-file", "-p", ...labels, "now", "after", "before"];
    const { stdout: content, ...ended } = await collectGit({ gitDirectory, cwd: folder, args });
    // The number of conflicts, at most 127; more is a failure, and that one means what is not text.
    if (ended.exitCode === 255) return { type: "binary" };
    if (ended.exitCode === null || ended.exitCode > 127) throw gitError("merge-file", ended);
    return { type: ended.exitCode === 0 ? "clean" : "marked", content };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
