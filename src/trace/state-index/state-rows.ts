import { setImmediate } from "node:timers/promises";
import { sql, type Insertable, type Kysely, type Selectable } from "kysely";
import { defined, type MicroUsd, microUsd, NO_USAGE, ownValue, toUsd } from "../../core/internal.ts";
import type { StateTable, TraceTables } from "./schema.ts";
import { divideTurn } from "./agent-shares.ts";
import type { IndexedState, IndexedTurn, WrittenState } from "./state-index.ts";

/** Adds states, replacing those with the same id. Runs inside the caller's transaction. */
export async function writeStates(db: Kysely<TraceTables>, states: readonly WrittenState[]): Promise<void> {
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

/** Keeps what was noted on a state, in the place of what was noted before. */
export async function writeNote(
  db: Kysely<TraceTables>,
  id: string,
  { rewards, remark = null, bookmark = null }: Noted,
): Promise<void> {
  const changed = await db
    .updateTable("states")
    .set({ rewards: JSON.stringify(rewards), bestReward: bestOf(rewards), remark, bookmark })
    .where("id", "=", id)
    .returning(["row", "recordedAtMs", "model"])
    .executeTakeFirst();
  if (changed === undefined) return;
  const { row: stateRow, recordedAtMs, model } = changed;
  await db.deleteFrom("rewardValues").where("stateRow", "=", stateRow).execute();
  const values = toRewardRows(rewards, { stateRow, recordedAtMs, model: model ?? "" });
  for (const rows of chunksOf(values)) await db.insertInto("rewardValues").values(rows).execute();
}

type Noted = { readonly rewards: IndexedState["rewards"] } & {
  readonly [Part in "remark" | "bookmark"]?: string | undefined | null;
};

/** The reward as a whole, where a state has one: its parts may be counts of something. Else the best of those that it has. */
function bestOf(rewards: IndexedState["rewards"]): number {
  return ownValue(rewards, "reward") ?? Math.max(...Object.values(rewards));
}

const CHUNK = 100;

async function insertStates(db: Kysely<TraceTables>, states: readonly WrittenState[]): Promise<void> {
  const inserted = await db.insertInto("states").values(states.map(toStateRow)).returning(["id", "row"]).execute();
  const rowOf = new Map(inserted.map(({ id, row }) => [id, row]));
  const withRow = states.map((state) => ({ ...state, stateRow: rowOf.get(state.id) as number }));
  const bodies = withRow.flatMap(({ stateRow, turn }) =>
    turn === undefined ? [] : [{ stateRow, prompt: readable(turn.prompt), response: readable(turn.response) }],
  );
  const toolUses = withRow.flatMap(({ stateRow, recordedAtMs, turn }) =>
    toToolRows(turn?.tools ?? [], { stateRow, recordedAtMs, model: turn?.model ?? "" }),
  );
  const rewardValues = withRow.flatMap(({ stateRow, recordedAtMs, turn, rewards }) =>
    toRewardRows(rewards, { stateRow, recordedAtMs, model: turn?.model ?? "" }),
  );
  const agentShares = withRow.flatMap(({ stateRow, recordedAtMs, turn, shares }) =>
    turn ? toShareRows(shares ?? divideTurn(turn), { stateRow, recordedAtMs, turn }) : [],
  );
  for (const rows of chunksOf(bodies)) await db.insertInto("bodies").values(rows).execute();
  for (const rows of chunksOf(toolUses)) await db.insertInto("toolUses").values(rows).execute();
  for (const rows of chunksOf(agentShares)) await db.insertInto("agentShares").values(rows).execute();
  for (const rows of chunksOf(rewardValues)) await db.insertInto("rewardValues").values(rows).execute();
}

/** A statement takes some thirty thousand values; what somebody else recorded may name any number of tools. */
const ROWS_AT_ONCE = 2000;

function chunksOf<Row>(rows: readonly Row[]): readonly (readonly Row[])[] {
  const count = Math.ceil(rows.length / ROWS_AT_ONCE);
  return Array.from({ length: count }, (_, at) => rows.slice(at * ROWS_AT_ONCE, (at + 1) * ROWS_AT_ONCE));
}

type ShareRow = Insertable<TraceTables["agentShares"]>;

function toShareRows(
  shares: NonNullable<WrittenState["shares"]>,
  { stateRow, recordedAtMs, turn }: Pick<ShareRow, "stateRow" | "recordedAtMs"> & { readonly turn: IndexedTurn },
): readonly ShareRow[] {
  const of = { stateRow, recordedAtMs, model: turn.model, isOffline: turn.scenario === undefined ? 0 : 1 };
  return shares.map(({ agent, costMicroUsd, usage }) => ({ ...of, agent, costMicroUsd, ...usage }));
}

type ToolRow = Insertable<TraceTables["toolUses"]>;

/** A tool that is told twice has one row. */
function toToolRows(tools: IndexedTurn["tools"], of: Omit<ToolRow, "tool" | "calls" | "errors">): readonly ToolRow[] {
  const rows = new Map<string, ToolRow>();
  for (const { tool, calls, errors } of tools) {
    const known = rows.get(tool) ?? { calls: 0, errors: 0 };
    rows.set(tool, { ...of, tool, calls: known.calls + calls, errors: known.errors + errors });
  }
  return [...rows.values()];
}

type RewardRow = Insertable<TraceTables["rewardValues"]>;

function toRewardRows(rewards: IndexedState["rewards"], of: Omit<RewardRow, "name" | "value">): readonly RewardRow[] {
  return Object.entries(rewards).map(([name, value]) => ({ name, value, ...of }));
}

/** SQLite keeps a text whole, but is read only up to its first NUL. */
function readable(text: string): string {
  return text.replaceAll("\0", "\u{FFFD}");
}

export type StateRow = Selectable<StateTable> & { readonly prompt: string | null; readonly response: string | null };

const NO_TURN = {
  transitionId: null,
  prompt: null,
  response: null,
  sessionId: null,
  model: null,
  outcome: null,
  costUsd: 0,
  ...NO_USAGE,
  durationMs: 0,
  tools: [],
  filesCreated: 0,
  filesModified: 0,
  filesDeleted: 0,
};

function toStateRow({ turn, rewards, ...written }: WrittenState): Insertable<StateTable> {
  const { shares: _, ...state } = written;
  const { prompt: __, response: ___, costUsd, tools, ...columns } = turn ?? NO_TURN;
  return {
    parentId: null,
    errorKind: null,
    stopReason: null,
    scenario: null,
    searchId: null,
    remark: null,
    bookmark: null,
    ...state,
    ...columns,
    rewards: JSON.stringify(rewards),
    bestReward: bestOf(rewards),
    costMicroUsd: microUsd(costUsd),
    tools: JSON.stringify(tools),
  };
}

export function fromStateRow(row: StateRow): IndexedState {
  const { row: _, id, parentId, kind, conversationId, recordedAtMs, depth, rewards, errorKind, ...columns } = row;
  const { costMicroUsd, tools, stopReason, scenario, searchId, bestReward: __, remark, bookmark, ...turn } = columns;
  const wrong = defined({ errorKind: errorKind ?? undefined });
  const told = {
    ...turn,
    ...wrong,
    ...defined({
      stopReason: stopReason ?? undefined,
      scenario: scenario ?? undefined,
      searchId: searchId ?? undefined,
    }),
    costUsd: toUsd(costMicroUsd as MicroUsd),
    tools: JSON.parse(tools) as IndexedTurn["tools"],
  };
  return {
    id,
    ...defined({ parentId: parentId ?? undefined }),
    kind,
    conversationId,
    recordedAtMs,
    depth,
    // A row has all of a turn, or nothing of one.
    ...(turn.outcome === null ? wrong : { turn: told as IndexedTurn }),
    rewards: JSON.parse(rewards) as IndexedState["rewards"],
    ...defined({ remark: remark ?? undefined, bookmark: bookmark ?? undefined }),
  };
}
