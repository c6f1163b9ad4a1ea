import { blobId, gitLines, listRefs, runGit, STATE_LIMITS, writePack } from "../../git/index.ts";
import { listCommits, listStatesThere } from "./list-states.ts";
import type { StateId } from "./state-commit.ts";
import { CONVERSATIONS } from "./state-refs.ts";

/**
 * The refs that say which states have no conversation on purpose: one that has none without such a word has lost it. Each names
 * a blob that lists states by their ids, and is named after it. What a state says of itself, its conversation's name among it,
 * may come from somebody else.
 */
const REMOVED = "refs/skein/removed/";

export async function listRemoved(gitDirectory: string): Promise<ReadonlySet<StateId>> {
  const args = ["for-each-ref", "--format=%(raw)", REMOVED];
  return new Set(await gitLines({ gitDirectory, args, mostOutputBytes: STATE_LIMITS.partBytes }));
}

/** Removes refs, all or none, each only if it still is where it was seen; it is noted which states lose their conversation by it. */
export async function deleteRefs(
  gitDirectory: string,
  refs: readonly { readonly ref: string; readonly seen?: string }[],
): Promise<void> {
  const going = new Set(refs.map(({ ref }) => ref));
  const tips = [...(await listRefs(gitDirectory, CONVERSATIONS))];
  const tipsOf = (isGoing: boolean): readonly StateId[] =>
    tips.flatMap(([name, id]) => (going.has(`${CONVERSATIONS}${name}`) === isGoing ? [id] : []));
  const alone = tipsOf(true).length === 0 ? [] : await listStatesThere(gitDirectory, tipsOf(true), tipsOf(false));
  await updateRefs(gitDirectory, [
    ...refs.map(({ ref, seen }) => `delete ${ref}${seen === undefined ? "" : ` ${seen}`}`),
    ...(await noteLines(gitDirectory, alone)),
  ]);
}

/** Looks which of the states that came under other names than a conversation's have none, and notes those; forgets what has one again. */
export async function noteArrived(gitDirectory: string, tips: readonly StateId[]): Promise<void> {
  const notes = await listRefs(gitDirectory, REMOVED);
  const named = [...(await listRefs(gitDirectory, CONVERSATIONS)).values()];
  const alone = tips.length === 0 ? [] : await listStatesThere(gitDirectory, tips, named);
  if (alone.length === 0 && notes.size === 0) return;
  const isNamed = new Set(notes.size === 0 ? [] : await listStatesThere(gitDirectory, named));
  await replaceNotes(gitDirectory, notes, (ids) => [...ids.filter((id) => !isNamed.has(id)), ...alone]);
}

/** Puts the notes together into one, without the states that are not in the store any more. */
export async function tidyRemoved(gitDirectory: string): Promise<void> {
  const notes = await listRefs(gitDirectory, REMOVED);
  if (notes.size === 0) return;
  const isThere = new Set(await listCommits(gitDirectory));
  await replaceNotes(gitDirectory, notes, (ids) => ids.filter((id) => isThere.has(id)));
}

/** All in one step, so that whoever removes a conversation meanwhile adds to it. */
async function replaceNotes(
  gitDirectory: string,
  notes: ReadonlyMap<string, string>,
  choose: (ids: readonly StateId[]) => readonly StateId[],
): Promise<void> {
  const ids = choose([...(await listRemoved(gitDirectory))]);
  const [line = ""] = await noteLines(gitDirectory, [...new Set(ids)]);
  const old = [...notes].filter(([name]) => !line.startsWith(`update ${REMOVED}${name} `));
  await updateRefs(gitDirectory, [...old.map(([name, blob]) => `delete ${REMOVED}${name} ${blob}`), line]);
}

async function noteLines(gitDirectory: string, ids: readonly StateId[]): Promise<readonly string[]> {
  if (ids.length === 0) return [];
  const content = Buffer.from(`${ids.toSorted().join("\n")}\n`);
  const oid = blobId(content);
  await writePack(gitDirectory, [{ oid, type: "blob", content }]);
  return [`update ${REMOVED}${oid} ${oid}`];
}

async function updateRefs(gitDirectory: string, lines: readonly string[]): Promise<void> {
  // What follows a conversation, as a branch's head does, is meant itself.
  const input = lines.filter(Boolean);
  if (input.length > 0) await runGit({ gitDirectory, args: ["update-ref", "--no-deref", "--stdin"], input });
}
