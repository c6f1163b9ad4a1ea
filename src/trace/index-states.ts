import { join } from "node:path";
import { defined, SkeinError } from "../core/index.ts";
import { takeLock } from "../database/index.ts";
import type { ChangeCounts } from "../snapshot/index.ts";
import type { StateId, Workspace } from "../workspace/index.ts";
import { readNote } from "./note.ts";
import type { IndexedState, IndexedTurn, StateIndex } from "./state-index/state-index.ts";
import { readStateFile, type State } from "./state.ts";
import { parseTransitionFile, type ToolRecord } from "./transition-file.ts";

/** How many states are read before they are written: a long history does not have to fit into memory. */
const AT_ONCE = 500;

export async function indexStates(workspace: Workspace, index: StateIndex): Promise<number> {
  if (isCurrent(await findChanges(workspace, index))) return 0;
  await using _ = await lockIndex(workspace, index);
  return await takeIn(workspace, index);
}

export async function reindexStates(workspace: Workspace, index: StateIndex): Promise<number> {
  await using _ = await lockIndex(workspace, index);
  await index.clear();
  return await takeIn(workspace, index);
}

/** One at a time: who notes the refs that it has taken in must know that nobody has cleared the states meanwhile. */
async function lockIndex({ home, clock }: Workspace, index: StateIndex): Promise<AsyncDisposable | undefined> {
  return index.isShared ? await takeLock(join(home, "index.lock"), { clock }) : undefined;
}

interface Changes {
  readonly tips: ReadonlyMap<string, StateId>;
  readonly known: ReadonlyMap<string, string>;
  readonly changed: readonly (readonly [string, string])[];
  readonly gone: readonly string[];
}

async function findChanges({ states }: Workspace, index: StateIndex): Promise<Changes> {
  const tips = await states.tips();
  const notes = new Map([...(await states.notes())].map(([id, blob]) => [`note ${id}`, blob]));
  const wanted = new Map([...tips, ...notes]);
  const known = await index.refs();
  const changed = [...wanted].filter(([name, id]) => known.get(name) !== id);
  return { tips, known, changed, gone: [...known.keys()].filter((name) => !wanted.has(name)) };
}

function isCurrent({ changed, gone }: Changes): boolean {
  return changed.length === 0 && gone.length === 0;
}

async function takeIn(workspace: Workspace, index: StateIndex): Promise<number> {
  const { states } = workspace;
  const { tips, known, changed, gone } = await findChanges(workspace, index);
  if (gone.some((name) => !name.startsWith("note ")))
    await forgetLost(index, await states.list(new Set(tips.values())));
  const knownTips = [...known].filter(([name]) => !name.startsWith("note ")).map(([, id]) => id);
  const ids = await states.list(new Set(tips.values()), knownTips);
  const depths = new Map<StateId, number>();
  for (let start = 0; start < ids.length; start += AT_ONCE) {
    await index.record(await readRows({ workspace, index, depths }, ids.slice(start, start + AT_ONCE)));
  }
  const fresh = new Set(ids);
  for (const [name] of changed) {
    const id = name.startsWith("note ") ? name.slice("note ".length) : undefined;
    if (id !== undefined && !fresh.has(id)) await index.setRewards(id, { ...(await rewardsOf(workspace, id)) });
  }
  const removed = gone.map((name) => [name, undefined] as const);
  await index.record([], new Map<string, string | undefined>([...changed, ...removed]));
  return ids.length;
}

/** What only a removed name led to is not there any more, and perhaps its objects neither. */
async function forgetLost(index: StateIndex, there: readonly StateId[]): Promise<void> {
  const kept = new Set(there);
  const indexed = await index.ids();
  await index.remove(indexed.filter((id) => !kept.has(id)));
}

interface Reading {
  readonly workspace: Workspace;
  readonly index: StateIndex;
  readonly depths: Map<StateId, number>;
}

async function readRows(
  { workspace, index, depths }: Reading,
  ids: readonly StateId[],
): Promise<readonly IndexedState[]> {
  const states: (State | Unreadable)[] = [];
  for (const id of ids) states.push(await readOne(workspace, id));
  const counts = await countFiles(
    workspace,
    states.filter((state) => "kind" in state),
  );
  const rows: IndexedState[] = [];
  for (const state of states) {
    const { id, parentId } = state;
    const above = parentId === undefined ? -1 : (depths.get(parentId) ?? (await index.get(parentId))?.depth ?? 0);
    depths.set(id, above + 1);
    const place = { id, ...defined({ parentId }), depth: above + 1 };
    const row = "kind" in state ? await readRow(workspace, state, counts.get(id)) : state;
    rows.push(isUnreadable(row) ? { ...place, ...unreadableRow(row) } : { ...place, ...row });
  }
  return rows;
}

/** A state that is there and is not what a state may be. Others are read all the same. */
interface Unreadable {
  readonly id: StateId;
  readonly parentId?: StateId;
  readonly recordedAtMs: number;
  readonly errorKind: string;
}

function isUnreadable(row: Row | Unreadable): row is Unreadable {
  return !("kind" in row);
}

function unreadableRow({ recordedAtMs, errorKind }: Unreadable): Row {
  return { kind: "unreadable", conversationId: "", recordedAtMs, errorKind, rewards: {} };
}

type Row = Omit<IndexedState, "id" | "parentId" | "depth">;

async function readOne(workspace: Workspace, id: StateId): Promise<State | Unreadable> {
  try {
    return await readStateFile(workspace.states, id);
  } catch (error) {
    return await asUnreadable(workspace, id, error);
  }
}

/** What is wrong with the state is told; a disk that cannot be read is not its fault. */
async function asUnreadable({ states }: Workspace, id: StateId, error: unknown): Promise<Unreadable> {
  if (!(error instanceof SkeinError) || !STATE_FAULTS.has(error.kind)) throw error;
  const stored = await states.read(id).catch(() => undefined);
  const parent = stored?.parentId === undefined ? {} : { parentId: stored.parentId };
  const recordedAtMs = Math.min(stored?.recordedAtMs ?? 0, LAST_MOMENT_MS);
  return { id, ...parent, recordedAtMs, errorKind: error.kind };
}

const STATE_FAULTS = new Set<string>(["parse", "policy", "state_not_found", "session_corrupted"]);

const LAST_MOMENT_MS = 253_402_300_799_000;

/** Counts for all by one git; where that fails for one of them, for each alone. */
async function countFiles(workspace: Workspace, states: readonly State[]): Promise<ReadonlyMap<StateId, ChangeCounts>> {
  const turns = states.filter(({ kind, parentId }) => kind === "turn" && parentId !== undefined);
  const count = async (some: readonly State[]): Promise<readonly (readonly [StateId, ChangeCounts])[]> => {
    const pairs = await Promise.all(
      some.map(
        async ({ parentId = "", snapshotId }) =>
          [(await workspace.states.read(parentId)).snapshotId, snapshotId] as const,
      ),
    );
    const found = await workspace.states.countChanges(pairs);
    return some.map(({ id }, at) => [id, found[at] ?? NO_CHANGES]);
  };
  try {
    return new Map(await count(turns));
  } catch (error) {
    if (turns.length === 1 || !(error instanceof SkeinError)) return new Map();
    const alone = [];
    for (const turn of turns) alone.push(...(await countFiles(workspace, [turn])));
    return new Map(alone);
  }
}

const NO_CHANGES: ChangeCounts = { created: 0, modified: 0, deleted: 0 };

async function readRow(workspace: Workspace, state: State, files: ChangeCounts | undefined): Promise<Row | Unreadable> {
  const { id, parentId, kind, conversationId, recordedAt } = state;
  const isTurn = kind === "turn" && parentId !== undefined;
  try {
    const turn = isTurn ? await readTurn(workspace, state, files ?? NO_CHANGES) : undefined;
    const recordedAtMs = Date.parse(recordedAt);
    const rewards = await rewardsOf(workspace, id);
    return { kind, conversationId, recordedAtMs, ...(turn ? { turn } : {}), rewards };
  } catch (error) {
    return await asUnreadable(workspace, id, error);
  }
}

async function rewardsOf(workspace: Workspace, id: StateId): Promise<Readonly<Record<string, number>>> {
  return (await readNote(workspace, id)).rewards;
}

async function readTurn(workspace: Workspace, state: State, files: ChangeCounts): Promise<IndexedTurn> {
  const text = (await workspace.states.file(state.stored, "transition.json")) ?? "";
  const { id, prompt, execution } = parseTransitionFile(text, `transition.json of ${state.id}`);
  const { error, stopReason, usage } = execution;
  return {
    transitionId: id,
    prompt: prompt.text,
    response: execution.response,
    sessionId: execution.sessionId,
    model: execution.model,
    outcome: execution.outcome,
    ...(error === undefined ? {} : { errorKind: error.kind }),
    ...defined({ stopReason }),
    costUsd: execution.costUsd,
    ...usage,
    durationMs: execution.durationMs,
    tools: tallyTools(execution.tools),
    filesCreated: files.created,
    filesModified: files.modified,
    filesDeleted: files.deleted,
  };
}

function tallyTools(tools: readonly ToolRecord[]): IndexedTurn["tools"] {
  const tally = new Map<string, { tool: string; calls: number; errors: number }>();
  for (const { tool, isError, isDenied } of tools) {
    const { calls, errors } = tally.get(tool) ?? { calls: 0, errors: 0 };
    tally.set(tool, { tool, calls: calls + 1, errors: errors + (isError || isDenied ? 1 : 0) });
  }
  return [...tally.values()];
}
