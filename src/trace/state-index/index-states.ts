import { join } from "node:path";
import { defined, SkeinError } from "../../core/internal.ts";
import { takeLock } from "../../database/index.ts";
import type { ChangeCounts } from "../../snapshot/index.ts";
import type { StateId, Workspace } from "../../workspace/internal.ts";
import { readNote } from "../record/note.ts";
import { markOf } from "../record/state-mark.ts";
import { divideTurn } from "./agent-shares.ts";
import type { IndexedTurn, StateIndex, WrittenState } from "./state-index.ts";
import { readStateFile, type State } from "../record/state.ts";
import { readTransitionFile, type ToolRecord } from "../record/transition-file.ts";

/** What is indexed: the states of a store, whose workspace need not be there. */
export type IndexedStore = Pick<Workspace, "home" | "states" | "clock">;

/** How many states are read before they are written: a long history does not have to fit into memory. */
const AT_ONCE = 500;

export async function indexStates(workspace: IndexedStore, index: StateIndex): Promise<number> {
  const { changed, gone } = await findChanges(workspace, index);
  if (changed.length + gone.length === 0) return 0;
  await using _ = await lockIndex(workspace, index);
  return await takeIn(workspace, index);
}

export async function reindexStates(workspace: IndexedStore, index: StateIndex): Promise<number> {
  await using _ = await lockIndex(workspace, index);
  await index.clear();
  return await takeIn(workspace, index);
}

/** One at a time: who notes the refs that it has taken in must know that nobody has cleared the states meanwhile. */
async function lockIndex({ home, clock }: IndexedStore, index: StateIndex): Promise<AsyncDisposable | undefined> {
  return index.isShared ? await takeLock(join(home, "index.lock"), { clock }) : undefined;
}

async function findChanges({ states }: IndexedStore, index: StateIndex) {
  const tips = await states.tips();
  const notes = await states.notes();
  const wanted = new Map([...tips, ...[...notes].map(([id, blob]) => [`note ${id}`, blob] as const)]);
  const known = await index.refs();
  const changed = [...wanted].filter(([name, id]) => known.get(name) !== id);
  return { tips, notes, known, changed, gone: [...known.keys()].filter((name) => !wanted.has(name)) };
}

async function takeIn(workspace: IndexedStore, index: StateIndex): Promise<number> {
  const { states } = workspace;
  const { tips, notes, known, changed, gone } = await findChanges(workspace, index);
  if (gone.some((name) => !name.startsWith("note "))) {
    // What only a removed name led to is not there any more, and perhaps its objects neither.
    const kept = new Set(await states.list(new Set(tips.values())));
    await index.remove((await index.ids()).filter((id) => !kept.has(id)));
  }
  const knownTips = [...known].filter(([name]) => !name.startsWith("note ")).map(([, id]) => id);
  const ids = await states.list(new Set(tips.values()), knownTips);
  const source: Source = { workspace, index, depths: new Map(), notes };
  for (let start = 0; start < ids.length; start += AT_ONCE) {
    await index.record(await readRows(source, ids.slice(start, start + AT_ONCE)));
  }
  const fresh = new Set(ids);
  for (const [name] of changed) {
    const id = name.startsWith("note ") ? name.slice("note ".length) : undefined;
    if (id !== undefined && !fresh.has(id)) await index.setNote(id, await notedOn(source, id));
  }
  const removed = gone.map((name) => [name, undefined] as const);
  await index.record([], new Map<string, string | undefined>([...changed, ...removed]));
  return ids.length;
}

interface Source {
  readonly workspace: IndexedStore;
  readonly index: StateIndex;
  readonly depths: Map<StateId, number>;
  /** The blobs of the notes, listed once: most states have none. */
  readonly notes: ReadonlyMap<StateId, string>;
}

async function readRows(source: Source, ids: readonly StateId[]): Promise<readonly WrittenState[]> {
  const { workspace, index, depths } = source;
  const states: (State | Row)[] = [];
  for (const id of ids) states.push(await orUnreadable(workspace, id, () => readStateFile(workspace.states, id)));
  const counts = await countFiles(workspace, states.filter(isState));
  const rows: WrittenState[] = [];
  for (const state of states) {
    const { id, parentId } = state;
    const above = parentId === undefined ? -1 : (depths.get(parentId) ?? (await index.get(parentId))?.depth ?? 0);
    const depth = above + 1;
    depths.set(id, depth);
    const row = isState(state)
      ? await orUnreadable(workspace, id, () => readRow(source, state, counts.get(id) ?? NO_CHANGES))
      : state;
    rows.push({ ...row, depth });
  }
  return rows;
}

type Row = Omit<WrittenState, "depth">;

function isState(row: State | Row): row is State {
  return row.kind !== "unreadable";
}

/** What is wrong with a state is told, and others are read all the same; a disk that cannot be read is not its fault. */
async function orUnreadable<T>({ states }: IndexedStore, id: StateId, read: () => Promise<T>): Promise<T | Row> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof SkeinError) || !STATE_FAULTS.has(error.kind)) throw error;
    const { parentId, recordedAtMs: saidMs = 0 } = (await states.read(id).catch(() => undefined)) ?? {};
    const recordedAtMs = Math.min(saidMs, LAST_MOMENT_MS);
    const unknown = { conversationId: "", rewards: {} };
    return { id, ...defined({ parentId }), kind: "unreadable", ...unknown, recordedAtMs, errorKind: error.kind };
  }
}

const STATE_FAULTS = new Set<string>(["parse", "policy", "state_not_found", "session_corrupted"]);

/** The end of the year 9999. */
const LAST_MOMENT_MS = 253_402_300_799_000;

/** Counts for all by one git; where that fails for one of them, for each alone. */
async function countFiles(
  workspace: IndexedStore,
  states: readonly State[],
): Promise<ReadonlyMap<StateId, ChangeCounts>> {
  const turns = states.filter(({ kind, parentId }) => kind === "turn" && parentId !== undefined);
  const pairOf = async ({ parentId = "", snapshotId }: State): Promise<readonly [string, string]> => [
    (await workspace.states.read(parentId)).snapshotId,
    snapshotId,
  ];
  try {
    const found = await workspace.states.countChanges(await Promise.all(turns.map(pairOf)));
    return new Map(turns.map(({ id }, at) => [id, found[at] ?? NO_CHANGES]));
  } catch (error) {
    if (turns.length === 1 || !(error instanceof SkeinError)) return new Map();
    const alone = [];
    for (const turn of turns) alone.push(...(await countFiles(workspace, [turn])));
    return new Map(alone);
  }
}

const NO_CHANGES: ChangeCounts = { created: 0, modified: 0, deleted: 0 };

async function readRow(source: Source, state: State, files: ChangeCounts): Promise<Row> {
  const { id, parentId, kind, conversationId, recordedAt } = state;
  const isTurn = kind === "turn" && parentId !== undefined;
  const recordedAtMs = Date.parse(recordedAt);
  return {
    id,
    kind,
    conversationId,
    recordedAtMs,
    ...defined({ parentId }),
    ...(isTurn ? await readTurn(source.workspace, state, files) : {}),
    ...(await notedOn(source, id)),
  };
}

async function notedOn(
  { workspace, notes }: Source,
  id: StateId,
): Promise<Pick<WrittenState, "rewards" | "remark" | "bookmark">> {
  const blob = notes.get(id);
  if (blob === undefined) return { rewards: {} };
  const note = await readNote(workspace, id, blob);
  return { rewards: note.rewards, ...defined(markOf(note)) };
}

async function readTurn(
  workspace: IndexedStore,
  state: State,
  files: ChangeCounts,
): Promise<Required<Pick<WrittenState, "turn" | "shares">>> {
  const { id, prompt, execution, metadata } = await readTransitionFile(workspace.states, state.stored);
  const { searchId, teamRole: role } = metadata;
  const { response, sessionId, model, outcome, error, stopReason, costUsd, scenario, usage, durationMs } = execution;
  const turn = {
    transitionId: id,
    prompt: prompt.text,
    response,
    sessionId,
    model,
    outcome,
    ...defined({ errorKind: error?.kind, stopReason, scenario }),
    // What a caller noted may be anything.
    ...(typeof searchId === "string" && searchId.length <= MOST_ID_CHARACTERS ? { searchId } : {}),
    costUsd,
    ...usage,
    durationMs,
    tools: tallyTools(execution.tools),
    filesCreated: files.created,
    filesModified: files.modified,
    filesDeleted: files.deleted,
  };
  return { turn, shares: divideTurn(turn, { agents: execution.ledger.agents, role }) };
}

const MOST_ID_CHARACTERS = 100;

function tallyTools(tools: readonly ToolRecord[]): IndexedTurn["tools"] {
  const tally = new Map<string, { tool: string; calls: number; errors: number }>();
  for (const { tool, isError, isDenied } of tools) {
    const { calls, errors } = tally.get(tool) ?? { calls: 0, errors: 0 };
    tally.set(tool, { tool, calls: calls + 1, errors: errors + (isError || isDenied ? 1 : 0) });
  }
  return [...tally.values()];
}
