import { rm } from "node:fs/promises";
import { join } from "node:path";
import { type Clock, SkeinError } from "../../core/index.ts";
import {
  blobId,
  listRefs,
  readRefFile,
  runGit,
  STATE_LIMITS,
  storageError,
  updateRef,
  writePack,
} from "../../git/index.ts";
import { attachHeads, detachHeads, type FollowedHead, type Head, readHead, writeHead } from "./head.ts";
import { listUnnamed } from "./list-states.ts";
import { deleteRefs, listRemoved } from "./removed-states.ts";
import type { StateNames } from "./resolve-state.ts";
import type { StateId } from "./state-commit.ts";
import { CHECKPOINTS, CONVERSATIONS, listTips, NOTES, TURNS } from "./state-refs.ts";

/** The names that keep states: heads, conversations, checkpoints, notes. */
export interface NamedStates {
  head(): Promise<Head | undefined>;
  setHead(head: Head): Promise<void>;
  /** Forgets where the directory stands: it is a branch that is gone. */
  dropHead(): Promise<void>;
  conversations(): Promise<ReadonlyMap<string, StateId>>;
  tip(conversationId: string): Promise<StateId | undefined>;
  /**
   * Moves a conversation's tip, only from where the caller believes it to be; gives false where it is not there. Other
   * directories that stood at it stay where their files are.
   */
  moveTip(conversationId: string, move: { readonly from: StateId | undefined; readonly to: StateId }): Promise<boolean>;
  /**
   * Forgets a conversation; of several that do so at once, one is told that it did. What only it led to goes with the next
   * collection of garbage; directories that stood at it stay where their files are.
   */
  removeConversation(conversationId: string): Promise<boolean>;
  removed(): Promise<ReadonlySet<StateId>>;
  /** The states that no conversation leads to, of removed ones and of such as have lost their name. */
  unnamed(): Promise<readonly StateId[]>;
  checkpoints(): Promise<ReadonlyMap<string, StateId>>;
  /** Gives a state a name. A name that is taken is an error unless `replace` says otherwise. */
  setCheckpoint(name: string, id: StateId, options?: { readonly replace?: boolean }): Promise<void>;
  removeCheckpoint(name: string): Promise<boolean>;
  /** What was noted on states after they were recorded, by state. */
  notes(): Promise<ReadonlyMap<StateId, string>>;
  note(id: StateId): Promise<string | undefined>;
  /** Notes something on a state; what was noted before is replaced. */
  setNote(id: StateId, text: string): Promise<void>;
  /** Keeps a state that nothing names yet, while a turn runs from it. */
  hold(name: string, id: StateId): Promise<void>;
  release(name: string): Promise<void>;
  /** The states that are held, by the name under which they are. */
  held(): Promise<ReadonlyMap<string, StateId>>;
  /** Every name that keeps states, in full, with the state that it names: conversations, checkpoints, heads. */
  tips(): Promise<ReadonlyMap<string, StateId>>;
}

export function createNamedStates({
  gitDirectory,
  objects,
  headRef,
  clock,
}: StateNames & { readonly clock: Clock }): NamedStates {
  const stored = <T>(doing: string, work: () => Promise<T>): Promise<T> =>
    work().catch((cause: unknown) => {
      throw storageError(doing, gitDirectory, cause);
    });
  return {
    head: () => readHead(gitDirectory, headRef),
    setHead: (head) => stored("The head could not be moved", () => writeHead(gitDirectory, headRef, { head, clock })),
    dropHead: async () => (headRef === "HEAD" ? undefined : await removeRef(gitDirectory, headRef)),
    conversations: () => listRefs(gitDirectory, CONVERSATIONS),
    tip: (id) => readRefFile(gitDirectory, `${CONVERSATIONS}${id}`),
    moveTip: (id, { from, to }) =>
      stored("The conversation could not be moved", async () => {
        const isMeant = (head: FollowedHead): boolean => head.conversationId === id && head.ref !== headRef;
        await detachHeads(gitDirectory, { clock, isMeant });
        return await updateRef(gitDirectory, `${CONVERSATIONS}${id}`, { to, expected: from, clock });
      }),
    removeConversation: (id) =>
      stored("The conversation could not be removed", () => removeConversation(gitDirectory, id, clock)),
    removed: () => listRemoved(gitDirectory),
    unnamed: () => listUnnamed(gitDirectory),
    checkpoints: () => listRefs(gitDirectory, CHECKPOINTS),
    async setCheckpoint(name, id, { replace = false } = {}) {
      checkName(name);
      const ref = `${CHECKPOINTS}${name}`;
      const change = replace ? { to: id, clock } : { to: id, expected: undefined, clock };
      if (!(await stored("The checkpoint could not be set", () => updateRef(gitDirectory, ref, change))))
        throw taken(name);
    },
    removeCheckpoint: (name) => removeCheckpoint(gitDirectory, name),
    notes: () => listRefs(gitDirectory, NOTES),
    async note(id) {
      const blob = await readRefFile(gitDirectory, `${NOTES}${id}`);
      if (blob === undefined) return undefined;
      return (await objects.content(blob, { type: "blob", mostBytes: STATE_LIMITS.smallBytes })).toString("utf8");
    },
    setNote: (id, text) =>
      stored("The note could not be written", async () => {
        const content = Buffer.from(text);
        const to = blobId(content);
        await writePack(gitDirectory, [{ oid: to, type: "blob", content }]);
        await updateRef(gitDirectory, `${NOTES}${id}`, { to, clock });
      }),
    hold: async (name, to) =>
      void (await stored("The turn could not be started", () =>
        updateRef(gitDirectory, `${TURNS}${name}`, { to, clock }),
      )),
    release: (name) => removeRef(gitDirectory, `${TURNS}${name}`),
    held: () => listRefs(gitDirectory, TURNS),
    tips: async () => listTips(gitDirectory, (await readHead(gitDirectory, "HEAD"))?.stateId),
  };
}

async function removeCheckpoint(gitDirectory: string, name: string): Promise<boolean> {
  checkName(name);
  if ((await readRefFile(gitDirectory, `${CHECKPOINTS}${name}`)) === undefined) return false;
  // By git, under its locks: refs that are being packed at this moment would bring it back.
  await runGit({ gitDirectory, args: ["update-ref", "-d", "--no-deref", `${CHECKPOINTS}${name}`] });
  return true;
}

/** A ref in a file of its own is simply removed; only one that was packed needs git. */
async function removeRef(gitDirectory: string, ref: string): Promise<void> {
  await rm(join(gitDirectory, ref), { force: true });
  if ((await readRefFile(gitDirectory, ref)) === undefined) return;
  await runGit({ gitDirectory, args: ["update-ref", "-d", "--no-deref", ref] });
}

async function removeConversation(gitDirectory: string, id: string, clock: Clock): Promise<boolean> {
  const ref = `${CONVERSATIONS}${id}`;
  const tip = await readRefFile(gitDirectory, ref);
  if (tip === undefined) return false;
  const detached = await detachHeads(gitDirectory, { clock, isMeant: (head) => head.conversationId === id });
  try {
    return await dropRef(gitDirectory, ref, tip);
  } catch (error) {
    await attachHeads(gitDirectory, detached, clock);
    throw error;
  }
}

/** Removes a ref that still is where it was seen; gives false where another was quicker. */
async function dropRef(gitDirectory: string, ref: string, seen: StateId): Promise<boolean> {
  try {
    await deleteRefs(gitDirectory, [{ ref, seen }]);
    return true;
  } catch (error) {
    if ((await readRefFile(gitDirectory, ref)) === undefined) return false;
    throw error;
  }
}

/** A checkpoint's name is part of a ref, and must not look like an id or a step back. */
function checkName(name: string): void {
  const isPlain = /^[A-Za-z0-9][\w.-]{0,99}$/u.test(name) && !/\.\.|\.lock$|\.$/u.test(name);
  if (isPlain && !/^[0-9a-f]{40}$/u.test(name)) return;
  throw new SkeinError(`${JSON.stringify(name)} cannot be the name of a checkpoint`, {
    kind: "usage",
    target: name,
    hint: "Use letters, digits, dots, dashes and underscores, starting with a letter or digit",
  });
}

function taken(name: string): SkeinError {
  return new SkeinError(`The checkpoint ${name} already exists`, {
    kind: "usage",
    target: name,
    hint: "Choose another name, or ask to replace it",
  });
}
