import { rm } from "node:fs/promises";
import { join } from "node:path";
import { type Clock, SkeinError } from "../../core/internal.ts";
import {
  blobId,
  createObjectReader,
  type ObjectReader,
  listRefs,
  readRefFile,
  runGit,
  STATE_LIMITS,
  storageError,
  updateRef,
  writePack,
} from "../../git/index.ts";
import { type ChangeCounts, countChanges, type Repository } from "../../snapshot/index.ts";
import { attachHeads, detachHeads, type FollowedHead, type Head, readHead, writeHead } from "./head.ts";
import { listStatesThere, listUnnamed } from "./list-states.ts";
import { deleteRefs, listRemoved } from "./removed-states.ts";
import { resolveState } from "./resolve-state.ts";
import {
  listStateFolder,
  type NewState,
  readState,
  type StateId,
  type StoredState,
  writeState,
} from "./state-commit.ts";
import { BRANCHES, CHECKPOINTS, CONVERSATIONS, listTips, NOTES, TURNS } from "./state-refs.ts";
import { walkBack, type WalkedState } from "./walk-back.ts";

/** The states of a workspace: commits in its store, and the names that keep them. */
export interface StateStore extends AsyncDisposable {
  write(state: NewState): Promise<StoredState>;
  read(id: StateId): Promise<StoredState>;
  /** Finds a state by what people call it: `@`, `@~2`, a checkpoint, a conversation, the beginning of an id. */
  resolve(name: string): Promise<StateId>;
  /** A file that lies beside a state's snapshot, by its name or a path such as `session/0001.jsonl`; undefined where there is none. */
  file(state: StoredState, name: string): Promise<string | undefined>;
  /** The files of a folder beside a state's snapshot: paths and content ids. */
  folder(state: StoredState, name: string): Promise<ReadonlyMap<string, string>>;
  /** What an id names: `commit`, `tree`, `blob`; undefined where there is nothing. */
  type(id: string): Promise<string | undefined>;
  content(id: string): Promise<Buffer>;
  /** The states that lead to these, each after its parent, without those that lead to the known ones. */
  list(tips: Iterable<StateId>, known?: Iterable<StateId>): Promise<readonly StateId[]>;
  /** Goes from a state to those before it, newest first, and reads these files beside each; without a promise, so everything waits. */
  walkBack(tip: StateId, names: readonly string[]): Generator<WalkedState, void, void>;
  /** How many files differ between the snapshots of each pair. */
  countChanges(pairs: readonly (readonly [string, string])[]): Promise<readonly ChangeCounts[]>;
  head(): Promise<Head | undefined>;
  setHead(head: Head): Promise<void>;
  conversations(): Promise<ReadonlyMap<string, StateId>>;
  tip(conversationId: string): Promise<StateId | undefined>;
  /** Moves a tip, only from where the caller believes it to be; else gives false. Other heads that follow it stay at the state of their files. */
  moveTip(conversationId: string, move: { readonly from: StateId | undefined; readonly to: StateId }): Promise<boolean>;
  /** Forgets a conversation; of several that do so at once, one is told that it did. What only it led to goes with the next collection of garbage. */
  removeConversation(conversationId: string): Promise<boolean>;
  removed(): Promise<ReadonlySet<StateId>>;
  /** The states that no conversation leads to, of removed ones and of such as have lost their name. */
  unnamed(): Promise<readonly StateId[]>;
  checkpoints(): Promise<ReadonlyMap<string, StateId>>;
  /** Gives a state a name. A name that is taken is an error unless `replace` says otherwise. */
  setCheckpoint(name: string, id: StateId, options?: { readonly replace?: boolean }): Promise<void>;
  removeCheckpoint(name: string): Promise<boolean>;
  /** The blobs of what was noted on states after they were recorded, by state. */
  notes(): Promise<ReadonlyMap<StateId, string>>;
  /** What was noted on a state. Who asks for many gives the blob, as `notes` lists it: to find each by its ref reads all refs anew. */
  note(id: StateId, blob?: string): Promise<string | undefined>;
  /** Notes something on a state; what was noted before is replaced. */
  setNote(id: StateId, text: string): Promise<void>;
  /** Keeps a state that nothing names yet, while a turn runs from it. */
  hold(name: string, id: StateId): Promise<void>;
  release(name: string): Promise<void>;
  /** The states that are held, by the name under which they are. */
  held(): Promise<ReadonlyMap<string, StateId>>;
  /** Every name that keeps states, in full, with the state that it names: conversations, checkpoints, heads. */
  tips(): Promise<ReadonlyMap<string, StateId>>;
  close(): Promise<void>;
}

/** Opens the states of a repository; who has a reader of its objects gives that, and closes it. */
export function createStateStore(repository: Repository, clock: Clock, shared?: ObjectReader): StateStore {
  const { gitDirectory, branch } = repository;
  const objects = shared ?? createObjectReader(gitDirectory);
  const headRef = branch === undefined ? "HEAD" : `${BRANCHES}${branch}`;
  const close = async (): Promise<void> => (shared ? undefined : objects.close());
  const readText = async (oid: string, mostBytes: number): Promise<string> =>
    (await objects.content(oid, { type: "blob", mostBytes })).toString("utf8");
  const stored = <T>(doing: string, work: () => Promise<T>): Promise<T> =>
    work().catch((cause: unknown) => {
      throw storageError(doing, gitDirectory, cause);
    });
  return {
    write: (state) => stored("The state could not be recorded", () => writeState(gitDirectory, objects, state)),
    read: (id) => readState(objects, id),
    resolve: (name) => resolveState({ gitDirectory, objects, headRef }, name),
    async file(state, name) {
      const entry = name.includes("/") ? await objects.info(`${state.id}:${name}`) : state.entries.get(name);
      return entry && (await readText(entry.oid, STATE_LIMITS.partBytes));
    },
    folder: (state, name) => listStateFolder(objects, state, name),
    type: async (id) => (await objects.info(id))?.type,
    content: (id) => objects.content(id, { mostBytes: STATE_LIMITS.partBytes }),
    head: () => readHead(gitDirectory, headRef),
    setHead: (head) => stored("The head could not be moved", () => writeHead(gitDirectory, headRef, { head, clock })),
    conversations: () => listRefs(gitDirectory, CONVERSATIONS),
    tip: (id) => readRefFile(gitDirectory, `${CONVERSATIONS}${id}`),
    moveTip: (id, move) =>
      stored("The conversation could not be moved", () => moveTip({ gitDirectory, headRef, clock }, id, move)),
    removeConversation: (id) =>
      stored("The conversation could not be removed", () => removeConversation(gitDirectory, id, clock)),
    removed: () => listRemoved(gitDirectory),
    unnamed: () => listUnnamed(gitDirectory),
    checkpoints: () => listRefs(gitDirectory, CHECKPOINTS),
    async setCheckpoint(name, to, { replace = false } = {}) {
      checkName(name);
      const change = { to, clock, ...(replace ? {} : { expected: undefined }) };
      const set = (): Promise<boolean> => updateRef(gitDirectory, `${CHECKPOINTS}${name}`, change);
      if (!(await stored("The checkpoint could not be set", set))) throw taken(name);
    },
    removeCheckpoint: (name) => removeCheckpoint(gitDirectory, name),
    notes: () => listRefs(gitDirectory, NOTES),
    async note(id, known) {
      const blob = known ?? (await readRefFile(gitDirectory, `${NOTES}${id}`));
      return blob === undefined ? undefined : await readText(blob, STATE_LIMITS.smallBytes);
    },
    setNote: (id, text) => stored("The note could not be written", () => writeNote(gitDirectory, { id, text, clock })),
    async hold(name, to) {
      const ref = `${TURNS}${name}`;
      await stored("The turn could not be started", () => updateRef(gitDirectory, ref, { to, clock }));
    },
    release: (name) => removeRef(gitDirectory, `${TURNS}${name}`),
    held: () => listRefs(gitDirectory, TURNS),
    tips: async () => listTips(gitDirectory, (await readHead(gitDirectory, "HEAD"))?.stateId),
    list: (tips, known) => listStatesThere(gitDirectory, tips, known),
    walkBack: (tip, names) => walkBack(gitDirectory, tip, names),
    countChanges: (pairs) => countChanges(gitDirectory, pairs),
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function moveTip(
  { gitDirectory, headRef, clock }: { readonly gitDirectory: string; readonly headRef: string; readonly clock: Clock },
  id: string,
  { from, to }: { readonly from: StateId | undefined; readonly to: StateId },
): Promise<boolean> {
  const isMeant = (head: FollowedHead): boolean => head.conversationId === id && head.ref !== headRef;
  await detachHeads(gitDirectory, { clock, isMeant });
  return await updateRef(gitDirectory, `${CONVERSATIONS}${id}`, { to, expected: from, clock });
}

async function writeNote(
  gitDirectory: string,
  { id, text, clock }: { readonly id: StateId; readonly text: string; readonly clock: Clock },
): Promise<void> {
  const content = Buffer.from(text);
  const to = blobId(content);
  await writePack(gitDirectory, [{ oid: to, type: "blob", content }]);
  await updateRef(gitDirectory, `${NOTES}${id}`, { to, clock });
}

function taken(name: string): SkeinError {
  const hint = "Choose another name, or ask to replace it";
  return new SkeinError(`The checkpoint ${name} already exists`, { kind: "usage", target: name, hint });
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
    await deleteRefs(gitDirectory, [{ ref, seen: tip }]);
    return true;
  } catch (error) {
    // Another was quicker.
    if ((await readRefFile(gitDirectory, ref).catch(() => tip)) === undefined) return false;
    await attachHeads(gitDirectory, detached, clock);
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
