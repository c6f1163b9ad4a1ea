import { CONVERSATIONS } from "../head.ts";
import { blobId } from "../object-id.ts";
import { runGit } from "../run-git.ts";
import { listRefs } from "../state-refs.ts";
import { writePack } from "../write-pack.ts";

/** The refs that say which conversations were removed on purpose: one that is gone without such a word was lost. */
const REMOVED = "refs/skein/removed/";

/** The conversations that were removed on purpose. */
export async function listRemoved(gitDirectory: string): Promise<ReadonlySet<string>> {
  return new Set((await listRefs(gitDirectory, REMOVED)).keys());
}

/** Removes refs, all or none, each only if it still is where it was seen; it is noted of conversations that they were removed. */
export async function deleteRefs(
  gitDirectory: string,
  refs: readonly { readonly ref: string; readonly seen?: string }[],
): Promise<void> {
  const conversations = refs.flatMap(({ ref }) =>
    ref.startsWith(CONVERSATIONS) ? [ref.slice(CONVERSATIONS.length)] : [],
  );
  const nothing = Buffer.alloc(0);
  const oid = blobId(nothing);
  if (conversations.length > 0) await writePack(gitDirectory, [{ oid, type: "blob", content: nothing }]);
  const lines = [
    ...refs.map(({ ref, seen }) => `delete ${ref}${seen === undefined ? "" : ` ${seen}`}\n`),
    ...conversations.map((id) => `update ${REMOVED}${id} ${oid}\n`),
  ];
  // What follows a conversation, as a branch's head does, is meant itself.
  await runGit({ gitDirectory, args: ["update-ref", "--no-deref", "--stdin"], input: lines.join("") });
}
