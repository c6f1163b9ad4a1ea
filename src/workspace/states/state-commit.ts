import { defined, SkeinError } from "../../core/internal.ts";
import {
  type NewObject,
  objectId,
  type ObjectReader,
  parseTreeEntries,
  readTree,
  STATE_LIMITS,
  treeContent,
  type TreeEntry,
  treeId,
  writePack,
} from "../../git/index.ts";
import type { SnapshotId } from "../../snapshot/index.ts";

/** A state's name: the id of a git commit. */
export type StateId = string;

/** A state as the store holds it: a snapshot, and what its writer laid beside it. */
export interface StoredState {
  readonly id: StateId;
  /** Its tree. It is a snapshot too: files can be read from it, compared and restored by this id. */
  readonly snapshotId: SnapshotId;
  /** The id that a capture of the same files gives: equal for states with equal files. */
  readonly filesId: SnapshotId;
  readonly parentId?: StateId;
  readonly recordedAtMs: number;
  /** The first line says what it is about. */
  readonly message: string;
  readonly entries: ReadonlyMap<string, TreeEntry>;
}

export interface NewState {
  readonly snapshotId: SnapshotId;
  readonly parentId?: StateId | undefined;
  /** Files beside the snapshot, by name. */
  readonly files: ReadonlyMap<string, string | Buffer>;
  /** Files to add below `session/`, by path. */
  readonly session: ReadonlyMap<string, string | Buffer>;
  /** The state whose `session/` it goes on from; none for a new session. */
  readonly sessionOf?: StateId | undefined;
  readonly message: string;
  readonly recordedAtMs: number;
}

/** Writes a state's objects, all or none. It is kept by nothing yet: a ref comes after. */
export async function writeState(gitDirectory: string, objects: ObjectReader, state: NewState): Promise<StoredState> {
  const added = new Map<string, NewObject>();
  const add = (type: NewObject["type"], content: Buffer): string => {
    const oid = objectId(type, content);
    added.set(oid, { oid, type, content });
    return oid;
  };
  const [known, snapshot] = await Promise.all([
    readSession(objects, state.sessionOf),
    readTree(objects, state.snapshotId),
  ]);
  const sessionId = addFolder(known, state.session, add);
  const entries: readonly TreeEntry[] = [
    ...snapshot.filter(({ name }) => SNAPSHOT_ENTRIES.has(name)),
    ...[...state.files].map(([name, text]) => ({ mode: "100644", name, oid: add("blob", Buffer.from(text)) })),
    ...(sessionId === undefined ? [] : [{ mode: "40000", name: "session", oid: sessionId }]),
  ];
  const snapshotId = add("tree", treeContent(entries));
  const id = add("commit", Buffer.from(formatCommit(snapshotId, state)));
  await writePack(gitDirectory, [...added.values()]);
  const { parentId, message, recordedAtMs } = state;
  return { id, snapshotId, ...defined({ parentId }), recordedAtMs, message, ...described(entries) };
}

async function readSession(objects: ObjectReader, of: StateId | undefined): Promise<readonly TreeEntry[]> {
  const folder = of === undefined ? undefined : (await readState(objects, of)).entries.get("session");
  return folder ? await readTree(objects, folder.oid) : [];
}

export async function readState(objects: ObjectReader, id: StateId): Promise<StoredState> {
  const info = await objects.info(id);
  if (info?.type !== "commit") throw noState(id);
  const content = await objects.content(info.oid, { type: "commit", mostBytes: STATE_LIMITS.smallBytes });
  const commit = parseStateCommit(info.oid, content);
  return { ...commit, ...described(await readTree(objects, commit.snapshotId)) };
}

export function parseState(id: StateId, { commit, tree }: Record<"commit" | "tree", Buffer>): StoredState {
  return { ...parseStateCommit(id, commit), ...described(parseTreeEntries(tree)) };
}

function parseStateCommit(id: StateId, content: Buffer): Omit<StoredState, "filesId" | "entries"> {
  const { headers, message } = parseCommit(content.toString("utf8"));
  const snapshotId = headers.get("tree") ?? "";
  const parentId = headers.get("parent");
  if (![snapshotId, parentId ?? id].every((each) => /^[0-9a-f]{40}$/u.test(each))) throw noState(id);
  return {
    id,
    snapshotId,
    ...defined({ parentId }),
    recordedAtMs: Number(/ (\d+) [+-]\d{4}$/.exec(headers.get("committer") ?? "")?.[1] ?? 0) * 1000,
    message,
  };
}

function described(entries: readonly TreeEntry[]): Pick<StoredState, "filesId" | "entries"> {
  return {
    filesId: treeId(entries.filter(({ name }) => SNAPSHOT_ENTRIES.has(name))),
    entries: new Map(entries.map((entry) => [entry.name, entry])),
  };
}

/** The files of a folder of a state, with their paths below it and their ids. */
export async function listStateFolder(
  objects: ObjectReader,
  state: StoredState,
  folder: string,
): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>();
  // By its path git goes there by itself, without all that lies beside it.
  const top = folder.includes("/") ? await objects.info(`${state.id}:${folder}`) : state.entries.get(folder);
  if (top && (!("type" in top) || top.type === "tree")) await collect(objects, top.oid, "", files);
  return files;
}

export function noState(name: string): SkeinError {
  return new SkeinError(`There is no state ${name}`, {
    kind: "state_not_found",
    target: name,
    hint: "skein log lists the states; name one by its id or first characters, a checkpoint, a conversation, @ or @~2",
  });
}

/** What belongs to the snapshot; everything else in a state's tree is laid beside it. */
const SNAPSHOT_ENTRIES = new Set(["files", "files.meta", "git.json", "git-index", "git-objects"]);

/** Adds files to a folder, whose other entries stay as they are; gives undefined where it would be empty. */
function addFolder(
  known: readonly TreeEntry[],
  added: NewState["session"],
  add: (type: NewObject["type"], content: Buffer) => string,
): string | undefined {
  const entries = new Map(known.map((entry) => [entry.name, entry]));
  const below = new Map<string, Map<string, string | Buffer>>();
  for (const [path, content] of added) {
    const slash = path.indexOf("/");
    const name = slash === -1 ? path : path.slice(0, slash);
    if (slash === -1) entries.set(name, { mode: "100644", name, oid: add("blob", Buffer.from(content)) });
    else below.set(name, (below.get(name) ?? new Map()).set(path.slice(slash + 1), content));
  }
  for (const [name, files] of below) {
    const oid = addFolder([], files, add);
    if (oid !== undefined) entries.set(name, { mode: "40000", name, oid });
  }
  return entries.size === 0 ? undefined : add("tree", treeContent([...entries.values()]));
}

async function collect(objects: ObjectReader, oid: string, path: string, files: Map<string, string>): Promise<void> {
  for (const entry of await readTree(objects, oid)) {
    const below = `${path}${entry.name}`;
    if (entry.mode === "40000") await collect(objects, entry.oid, `${below}/`, files);
    else files.set(below, entry.oid);
  }
}

function formatCommit(tree: string, { parentId, message, recordedAtMs }: NewState): string {
  const who = `Skein <skein@localhost> ${Math.floor(recordedAtMs / 1000)} +0000`;
  const parent = parentId === undefined ? "" : `parent ${parentId}\n`;
  return `tree ${tree}\n${parent}author ${who}\ncommitter ${who}\n\n${message.replaceAll("\0", "")}\n`;
}

function parseCommit(text: string): { readonly headers: ReadonlyMap<string, string>; readonly message: string } {
  const end = text.indexOf("\n\n");
  const headers = new Map<string, string>();
  for (const line of text.slice(0, end).split("\n")) {
    const space = line.indexOf(" ");
    // Of several parents the first is the state before.
    if (!headers.has(line.slice(0, space))) headers.set(line.slice(0, space), line.slice(space + 1));
  }
  return { headers, message: text.slice(end + 2) };
}
