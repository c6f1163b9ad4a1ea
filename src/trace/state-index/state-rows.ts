import { setImmediate } from "node:timers/promises";
import { sql, type Insertable, type Kysely, type Selectable } from "kysely";
import { microUsd, toUsd, type MicroUsd } from "../../core/index.ts";
import type { StateTable, TraceTables } from "./schema.ts";
import type { IndexedState, IndexedTurn, ToolCount } from "./state-index.ts";

/** Adds states, replacing those with the same id. Runs inside the caller's transaction. */
export async function writeStates(db: Kysely<TraceTables>, states: readonly IndexedState[]): Promise<void> {
  // Of one id given twice the later counts; a single statement could not write both.
  const latest = [...new Map(states.map((state) => [state.id, state])).values()];
  await deleteStates(
    db,
    latest.map(({ id }) => id),
  );
  for (let from = 0; from < latest.length; from += CHUNK) {
    // SQLite works in this thread: let others have it now and then.
    if (from > 0) await setImmediate();
    await insertStates(db, latest.slice(from, from + CHUNK));
  }
}

export async function deleteStates(db: Kysely<TraceTables>, ids: readonly string[]): Promise<void> {
  await db
    .deleteFrom("states")
    .where("id", "in", sql<string>`(select value from json_each(${JSON.stringify(ids)}))`)
    .execute();
}

export async function writeRewards(
  db: Kysely<TraceTables>,
  id: string,
  rewards: IndexedState["rewards"],
): Promise<void> {
  const changed = await db
    .updateTable("states")
    .set({ rewards: JSON.stringify(rewards) })
    .where("id", "=", id)
    .returning("row")
    .executeTakeFirst();
  if (changed === undefined) return;
  await db.deleteFrom("rewardValues").where("stateRow", "=", changed.row).execute();
  const rows = toRewardRows(changed.row, rewards);
  if (rows.length > 0) await db.insertInto("rewardValues").values(rows).execute();
}

const CHUNK = 100;

async function insertStates(db: Kysely<TraceTables>, states: readonly IndexedState[]): Promise<void> {
  const inserted = await db.insertInto("states").values(states.map(toStateRow)).returning(["id", "row"]).execute();
  const rowOf = new Map(inserted.map(({ id, row }) => [id, row]));
  const withRow = states.map((state) => ({ ...state, stateRow: rowOf.get(state.id) as number }));
  const bodies = withRow.flatMap(({ stateRow, turn }) =>
    turn === undefined ? [] : [{ stateRow, prompt: readable(turn.prompt), response: readable(turn.response) }],
  );
  const toolUses = withRow.flatMap(({ stateRow, turn }) =>
    [...new Set(turn?.tools.map(({ tool }) => tool))].map((tool) => ({ tool, stateRow })),
  );
  const rewardValues = withRow.flatMap(({ stateRow, rewards }) => toRewardRows(stateRow, rewards));
  if (bodies.length > 0) await db.insertInto("bodies").values(bodies).execute();
  if (toolUses.length > 0) await db.insertInto("toolUses").values(toolUses).execute();
  if (rewardValues.length > 0) await db.insertInto("rewardValues").values(rewardValues).execute();
}

function toRewardRows(stateRow: number, rewards: IndexedState["rewards"]): Insertable<TraceTables["rewardValues"]>[] {
  return Object.entries(rewards).map(([name, value]) => ({ name, stateRow, value }));
}

/** SQLite keeps a text whole, but is read only up to its first NUL. */
function readable(text: string): string {
  return text.replaceAll("\0", "\u{FFFD}");
}

export type StateRow = Selectable<Omit<StateTable, "row">> & {
  readonly prompt: string | null;
  readonly response: string | null;
};

function toStateRow(state: IndexedState): Insertable<StateTable> {
  const { turn } = state;
  return {
    id: state.id,
    parentId: state.parentId ?? null,
    kind: state.kind,
    conversationId: state.conversationId,
    recordedAtMs: state.recordedAtMs,
    depth: state.depth,
    rewards: JSON.stringify(state.rewards),
    transitionId: turn?.transitionId ?? null,
    sessionId: turn?.sessionId ?? null,
    model: turn?.model ?? null,
    outcome: turn?.outcome ?? null,
    errorKind: turn?.errorKind ?? state.errorKind ?? null,
    stopReason: turn?.stopReason ?? null,
    costMicroUsd: microUsd(turn?.costUsd ?? 0),
    inputTokens: turn?.inputTokens ?? 0,
    outputTokens: turn?.outputTokens ?? 0,
    cacheReadTokens: turn?.cacheReadTokens ?? 0,
    cacheWriteTokens: turn?.cacheWriteTokens ?? 0,
    durationMs: turn?.durationMs ?? 0,
    tools: JSON.stringify(turn?.tools ?? []),
    filesCreated: turn?.filesCreated ?? 0,
    filesModified: turn?.filesModified ?? 0,
    filesDeleted: turn?.filesDeleted ?? 0,
  };
}

export function fromStateRow(row: StateRow): IndexedState {
  return {
    id: row.id,
    ...(row.parentId === null ? {} : { parentId: row.parentId }),
    kind: row.kind,
    conversationId: row.conversationId,
    recordedAtMs: row.recordedAtMs,
    depth: row.depth,
    ...(row.kind === "unreadable" && row.errorKind !== null ? { errorKind: row.errorKind } : {}),
    ...(row.outcome === null ? {} : { turn: toTurn(row, row.outcome) }),
    rewards: JSON.parse(row.rewards) as IndexedState["rewards"],
  };
}

function toTurn(row: StateRow, outcome: IndexedTurn["outcome"]): IndexedTurn {
  return {
    transitionId: row.transitionId ?? "",
    prompt: row.prompt ?? "",
    response: row.response ?? "",
    sessionId: row.sessionId ?? "",
    model: row.model ?? "",
    outcome,
    ...(row.errorKind === null ? {} : { errorKind: row.errorKind }),
    ...(row.stopReason === null ? {} : { stopReason: row.stopReason }),
    costUsd: toUsd(row.costMicroUsd as MicroUsd),
    inputTokens: row.inputTokens,
    outputTokens: row.outputTokens,
    cacheReadTokens: row.cacheReadTokens,
    cacheWriteTokens: row.cacheWriteTokens,
    durationMs: row.durationMs,
    tools: JSON.parse(row.tools) as readonly ToolCount[],
    filesCreated: row.filesCreated,
    filesModified: row.filesModified,
    filesDeleted: row.filesDeleted,
  };
}
