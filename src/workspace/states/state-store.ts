import type { Clock } from "../../core/index.ts";
import { createObjectReader, STATE_LIMITS, storageError } from "../../git/index.ts";
import { type ChangeCounts, countChanges, type Repository } from "../../snapshot/index.ts";
import { listStatesThere } from "./list-states.ts";
import { createNamedStates, type NamedStates } from "./named-states.ts";
import { resolveState } from "./resolve-state.ts";
import {
  infoBelow,
  listStateFolder,
  type NewState,
  readState,
  type StateId,
  type StoredState,
  writeState,
} from "./state-commit.ts";
import { BRANCHES } from "./state-refs.ts";
import { walkBack, type WalkedState } from "./walk-back.ts";

/** The states of a workspace: commits in its store, and the names that keep them. */
export interface StateStore extends NamedStates, AsyncDisposable {
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
  close(): Promise<void>;
}

export function createStateStore(repository: Repository, clock: Clock): StateStore {
  const { gitDirectory, branch } = repository;
  const objects = createObjectReader(gitDirectory);
  const headRef = branch === undefined ? "HEAD" : `${BRANCHES}${branch}`;
  const close = (): Promise<void> => objects.close();
  return {
    write: (state) =>
      writeState(gitDirectory, objects, state).catch((cause: unknown) => {
        throw storageError("The state could not be recorded", gitDirectory, cause);
      }),
    read: (id) => readState(objects, id),
    resolve: (name) => resolveState({ gitDirectory, objects, headRef }, name),
    async file(state, name) {
      const entry = name.includes("/") ? await infoBelow(objects, state, name) : state.entries.get(name);
      if (!entry) return undefined;
      return (await objects.content(entry.oid, { type: "blob", mostBytes: STATE_LIMITS.partBytes })).toString("utf8");
    },
    folder: (state, name) => listStateFolder(objects, state, name),
    type: async (id) => (await objects.info(id))?.type,
    content: (id) => objects.content(id, { mostBytes: STATE_LIMITS.partBytes }),
    ...createNamedStates({ gitDirectory, objects, headRef, clock }),
    list: (tips, known) => listStatesThere(gitDirectory, tips, known),
    walkBack: (tip, names) => walkBack(gitDirectory, tip, names),
    countChanges: (pairs) => countChanges(gitDirectory, pairs),
    close,
    [Symbol.asyncDispose]: close,
  };
}
