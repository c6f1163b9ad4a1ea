import { join } from "node:path";
import { takeLock } from "../database/index.ts";
import type { StateId, Workspace } from "../workspace/index.ts";
import { readNote } from "./note.ts";
import type { IndexedState, IndexedTurn } from "./state-index/indexed-state.ts";
import type { TraceIndex } from "./state-index/trace-index.ts";
import { readStateFile, type State } from "./state.ts";
import { parseTransitionFile, type ToolRecord } from "./transition-file.ts";

/** How many states are read before they are written: a long history does not have to fit into memory. */
const AT_ONCE = 500;

/** Brings the index up to date with the store, and gives how many states were new to it. */
export async function indexStates(workspace: Workspace, index: TraceIndex): Promise<number> {
  if (isCurrent(await findChanges(workspace, index))) return 0;
  await using _ = await lockIndex(workspace, index);
  return await takeIn(workspace, index);
}

/** Makes the index anew, and gives how many states it has then. */
export async function reindexStates(workspace: Workspace, index: TraceIndex): Promise<number> {
  await using _ = await lockIndex(workspace, index);
  await index.clear();
  return await takeIn(workspace, index);
}

/** One at a time: who notes the refs that it has taken in must know that nobody has cleared the states meanwhile. */
async function lockIndex({ home, clock }: Workspace, index: TraceIndex): Promise<AsyncDisposable | undefined> {
  return index.isShared ? await takeLock(join(home, "index.lock"), { clock }) : undefined;
}

interface Changes {
  readonly tips: ReadonlyMap<string, StateId>;
  /** What the index has taken in. */
  readonly known: ReadonlyMap<string, string>;
  readonly changed: readonly (readonly [string, string])[];
  readonly gone: readonly string[];
}

async function findChanges({ states }: Workspace, index: TraceIndex): Promise<Changes> {
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

async function takeIn(workspace: Workspace, index: TraceIndex): Promise<number> {
  const { states } = workspace;
  const { tips, known, changed, gone } = await findChanges(workspace, index);
  if (gone.some((name) => !name.startsWith("note ")))
    await forgetLost(index, await states.list(new Set(tips.values())));
  const knownTips = [...known].filter(([name]) => !name.startsWith("note ")).map(([, id]) => id);
  const ids = await states.list(new Set(tips.values()), knownTips);
  const depths = new Map<StateId, number>();
  for (let start = 0; start < ids.length; start += AT_ONCE) {
    await index.put(await readRows({ workspace, index, depths }, ids.slice(start, start + AT_ONCE)));
  }
  const fresh = new Set(ids);
  for (const [name] of changed) {
    const id = name.startsWith("note ") ? name.slice("note ".length) : undefined;
    if (id !== undefined && !fresh.has(id)) await index.setRewards(id, { ...(await rewardsOf(workspace, id)) });
  }
  const removed = gone.map((name) => [name, undefined] as const);
  await index.setRefs(new Map<string, string | undefined>([...changed, ...removed]));
  return ids.length;
}

/** What only a removed name led to is not there any more, and perhaps its objects neither. */
async function forgetLost(index: TraceIndex, there: readonly StateId[]): Promise<void> {
  const kept = new Set(there);
  const indexed = await index.withPrefix("", Number.MAX_SAFE_INTEGER);
  await index.remove(indexed.filter((id) => !kept.has(id)));
}

interface Reading {
  readonly workspace: Workspace;
  readonly index: TraceIndex;
  /** The depths of the states that were read in this run. */
  readonly depths: Map<StateId, number>;
}

async function readRows(
  { workspace, index, depths }: Reading,
  ids: readonly StateId[],
): Promise<readonly IndexedState[]> {
  const states: State[] = [];
  for (const id of ids) states.push(await readStateFile(workspace.states, id));
  const turns = states.filter(({ kind, parentId }) => kind === "turn" && parentId !== undefined);
  const pairs = await Promise.all(
    turns.map(
      async ({ parentId = "", snapshotId }) =>
        [(await workspace.states.read(parentId)).snapshotId, snapshotId] as const,
    ),
  );
  const counts = new Map((await workspace.states.countChanges(pairs)).map((count, at) => [turns[at]?.id, count]));
  const rows: IndexedState[] = [];
  for (const state of states) {
    const { id, parentId, kind, conversationId, recordedAt } = state;
    const above = parentId === undefined ? -1 : (depths.get(parentId) ?? (await index.get(parentId))?.depth ?? 0);
    depths.set(id, above + 1);
    const files = counts.get(id);
    const turn = files && (await readTurn(workspace, state, files));
    rows.push({
      id,
      ...(parentId === undefined ? {} : { parentId }),
      kind,
      conversationId,
      recordedAtMs: Date.parse(recordedAt),
      depth: above + 1,
      ...(turn ? { turn } : {}),
      rewards: await rewardsOf(workspace, id),
    });
  }
  return rows;
}

async function rewardsOf(workspace: Workspace, id: StateId): Promise<Readonly<Record<string, number>>> {
  return (await readNote(workspace, id)).rewards;
}

async function readTurn(
  workspace: Workspace,
  state: State,
  files: { readonly created: number; readonly modified: number; readonly deleted: number },
): Promise<IndexedTurn> {
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
    ...(stopReason === undefined ? {} : { stopReason }),
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
