import { type BytePath, runGit, toBytePath, toText } from "../../git/index.ts";
import { ConflictError, type FileChange, type SnapshotStore } from "../../snapshot/index.ts";
import type { StateStore } from "../states/state-store.ts";

/** What a restore would delete or write over although no recorded turn made it what it is. What the state's own past holds does not count. */
export async function findUnrecorded(
  { states, snapshots, gitDirectory }: { states: StateStore; snapshots: SnapshotStore; gitDirectory: string },
  now: string,
  target: { readonly snapshotId: string; readonly id?: string },
): Promise<readonly string[]> {
  const lost = new Set((await snapshots.diff(now, target.snapshotId)).flatMap(lostBy));
  if (lost.size === 0) return [];
  const head = await states.head();
  if (!head) return [...lost].toSorted().map(toText);
  const found: BytePath[] = [];
  const settle = (path: BytePath, isPersons: boolean): void => {
    if (lost.delete(path) && isPersons) found.push(path);
  };
  const { snapshotId } = await states.read(head.stateId);
  for (const change of await snapshots.diff(snapshotId, now)) for (const path of pathsOf(change)) settle(path, true);
  if (lost.size > 0) {
    for (const commit of await readPath(gitDirectory, head.stateId, target.id)) {
      for (const path of commit.paths) settle(path, !commit.isTurn);
    }
  }
  return found.toSorted().map(toText);
}

export function unrecordedError(paths: readonly string[]): ConflictError {
  return new ConflictError(
    "The restore would delete or overwrite work that no recorded turn made",
    paths.map((path) => ({ path, why: "unrecorded" as const })),
    "Nothing was changed. --yes restores anyway, with a way back; skein undo takes back a turn and keeps later changes",
  );
}

function lostBy(change: FileChange): readonly BytePath[] {
  if (change.type === "created" || change.before.kind === "directory") return [];
  if (change.type === "renamed") return [toBytePath(change.fromBytes ?? change.from)];
  return [toBytePath(change.pathBytes ?? change.path)];
}

function pathsOf(change: FileChange): readonly BytePath[] {
  const path = toBytePath(change.pathBytes ?? change.path);
  return change.type === "renamed" ? [path, toBytePath(change.fromBytes ?? change.from)] : [path];
}

const MARK = "\u0001";

/** What each state on the way here changed, newest first, back to where the other state's own way leaves it. */
async function readPath(
  gitDirectory: string,
  head: string,
  target: string | undefined,
): Promise<readonly { readonly isTurn: boolean; readonly paths: readonly BytePath[] }[]> {
  const range = target === undefined ? [head] : [head, `^${target}`];
  const args = ["log", "--first-parent", "--root", "--no-renames", "--name-status", "-z", "--format=%x01", ...range];
  const output = (await runGit({ gitDirectory, args })).toString("latin1");
  const commits: { isTurn: boolean; readonly paths: BytePath[] }[] = [];
  const fields = output.split("\0").values();
  for (const field of fields) {
    // A commit's mark, or the letter that says what became of the path after it.
    if (field === MARK) commits.push({ isTurn: false, paths: [] });
    const commit = commits.at(-1);
    if (field === MARK || field === "" || !commit) continue;
    const path = fields.next().value ?? "";
    if (path.startsWith("files/")) commit.paths.push(path.slice("files/".length));
    if (path === "transition.json" && field.trim() !== "D") commit.isTurn = true;
  }
  return commits;
}
