import { sql, type Kysely, type RawBuilder } from "kysely";
import type { MicroUsd, Usage } from "../../core/internal.ts";
import type { Outcome } from "../record/transition-file.ts";
import {
  addFigures,
  NO_FIGURES,
  type FigureGroup,
  type Figures,
  type FiguresQuery,
  type RewardFigures,
} from "./figures.ts";
import type { TraceTables } from "./schema.ts";

type Index = Kysely<TraceTables>;

/** Sums of the turns and rewards of each span. Every statement reads a part of one index, in its order, and sorts nothing. */
export async function readFigures(db: Index, query: FiguresQuery): Promise<readonly FigureGroup[]> {
  const keys = await readKeys(db, query.model);
  const statements = figureStatements(query, keys);
  const groups = createGroups(query.isByModel === true);
  for (const { span, model, found } of (await statements.turns.execute(db)).rows) {
    const sums = JSON.parse(found) as TurnSums;
    if (sums.turns > 0) groups.add({ span, model }, turnFigures(sums));
  }
  for (const { span, model, name, found } of (await statements.tools.execute(db)).rows) {
    const [calls, errors] = JSON.parse(found) as readonly [number | null, number];
    if (calls !== null) groups.add({ span, model }, { tools: new Map([[name, { calls, errors }]]) });
  }
  for (const { span, model, name, found } of (await statements.rewards.execute(db)).rows) {
    const rewards = rewardFigures(JSON.parse(found) as RewardSums);
    if (rewards) groups.add({ span, model }, { rewards: new Map([[name, rewards]]) });
  }
  for (const { span, model, ...branches } of (await statements.branches.execute(db)).rows) {
    groups.add({ span, model }, branches);
  }
  return groups.all();
}

interface GroupKey {
  readonly span: number;
  readonly model: string;
}

function createGroups(isByModel: boolean) {
  const groups = new Map<string, FigureGroup>();
  return {
    add(of: GroupKey, part: Partial<Figures>): void {
      const model = isByModel ? of.model : undefined;
      const key = `${of.span} ${model ?? ""}`;
      const known = groups.get(key)?.figures ?? NO_FIGURES;
      groups.set(key, { span: of.span, model, figures: addFigures(known, { ...NO_FIGURES, ...part }) });
    },
    all: () => [...groups.values()],
  };
}

interface TurnSums extends Usage {
  readonly turns: number;
  readonly firstAtMs: number;
  readonly microUsd: number;
  readonly offlineMicroUsd: number | null;
  readonly durations: string;
  /** How the turns ended that did not end well: there are few of them. */
  readonly others: readonly (readonly [outcome: Outcome, errorKind: string | null])[];
}

function turnFigures(sums: TurnSums): Partial<Figures> {
  const { turns, firstAtMs, microUsd: all, others } = sums;
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = sums;
  const offline = sums.offlineMicroUsd ?? 0;
  const outcomes = { ...NO_FIGURES.outcomes, completed: turns - others.length };
  const errors = new Map<string, number>();
  for (const [outcome, errorKind] of others) {
    outcomes[outcome] += 1;
    if (outcome === "cancelled") continue;
    const kind = errorKind ?? outcome;
    errors.set(kind, (errors.get(kind) ?? 0) + 1);
  }
  return {
    turns,
    firstAtMs,
    outcomes,
    usage: { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens },
    paidMicroUsd: (all - offline) as MicroUsd,
    offlineMicroUsd: offline as MicroUsd,
    durationsMs: readNumbers(sums.durations),
    errors,
  };
}

interface RewardSums {
  readonly found: string | null;
  readonly best: string;
  readonly stateId: string;
}

function rewardFigures({ found, best, stateId }: RewardSums): RewardFigures | undefined {
  return found === null ? undefined : { values: readNumbers(found), best: { value: Number(best), stateId, store: "" } };
}

function readNumbers(text: string): readonly number[] {
  return JSON.parse(`[${text}]`) as readonly number[];
}

/** What there is, by model: there are few of each, so that each is looked up by itself. */
export interface FigureKeys {
  readonly models: readonly string[];
  readonly tools: readonly (readonly [model: string, tool: string])[];
  readonly rewards: readonly (readonly [model: string, name: string])[];
}

export async function readKeys(db: Index, model?: string): Promise<FigureKeys> {
  const pairs = async (table: "toolUses" | "rewardValues", column: string) => {
    const models = model === undefined ? await distinct(db, { table, column: "model" }) : [model];
    const found = models.map(async (each) => {
      const names = await distinct(db, { table, column, where: sql`model = ${each} and` });
      return names.map((name) => [each, name] as const);
    });
    return (await Promise.all(found)).flat();
  };
  const where = sql`outcome is not null and`;
  return {
    models: model === undefined ? await distinct(db, { table: "states", column: "model", where }) : [model],
    tools: await pairs("toolUses", "tool"),
    rewards: await pairs("rewardValues", "name"),
  };
}

/** The different values of a column, from one to the next in an index: what lies between them is not read. */
export async function distinct(
  db: Index,
  {
    table,
    column,
    where = sql``,
  }: { readonly table: keyof TraceTables; readonly column: string; readonly where?: RawBuilder<unknown> },
): Promise<readonly string[]> {
  const [from, value] = [sql.table(table), sql.ref(column)];
  const { rows } = await sql<{ readonly found: string }>`
    with recursive steps (found) as (
      select (select min(${value}) from ${from} where ${where} true)
      union all
      select (select min(${value}) from ${from} where ${where} ${value} > found) from steps where found is not null
    ) select found from steps where found is not null`.execute(db);
  return rows.map(({ found }) => found);
}

interface Found extends GroupKey {
  readonly found: string;
}

interface Named extends Found {
  readonly name: string;
}

type BranchRow = GroupKey & Pick<Figures, "branchPoints" | "branches">;

/** The statements, to be run or to be explained. */
export function figureStatements({ spans, model, isByModel = false, without = [] }: FiguresQuery, keys: FigureKeys) {
  const given = sql`spans (span, sinceMs, untilMs) as materialized (
    select key, value ->> 0, value ->> 1 from json_each(${JSON.stringify(spans)}))`;
  const named = (pairs: FigureKeys["tools"]): RawBuilder<unknown> => sql`keys (model, name) as materialized (
    select value ->> 0, value ->> 1 from json_each(${JSON.stringify(pairs)}))`;
  const own = (row: string): RawBuilder<unknown> =>
    without.length === 0
      ? sql``
      : sql`and ${sql.ref(row)} not in (
          select row from states where id in (select value from json_each(${JSON.stringify(without)})))`;
  const inSpan = sql`recordedAtMs >= sinceMs and recordedAtMs < untilMs`;
  return {
    turns: sql<Found>`with ${given}, models as materialized (
        select value as model from json_each(${JSON.stringify(keys.models)}))
      select span, model, (
        select json_object(${turnSums}) from states
        where outcome is not null and states.model = models.model and ${inSpan} ${own("row")}
      ) as found from spans cross join models`,
    tools: sql<Named>`with ${given}, ${named(keys.tools)}
      select span, model, name, (
        select json_array(sum(calls), sum(errors)) from toolUses
        where toolUses.model = keys.model and tool = name and ${inSpan} ${own("stateRow")}
      ) as found from spans cross join keys`,
    // Where only one thing is the highest of its group, SQLite takes the other columns from the row that has it.
    rewards: sql<Named>`with ${given}, ${named(keys.rewards)}
      select span, model, name, (
        select json_object(
          'found', group_concat(${exact("value")}), 'best', printf('%!.17g', max(value)),
          'stateId', (select id from states where row = stateRow)
        ) from rewardValues
        where rewardValues.model = keys.model and rewardValues.name = keys.name and ${inSpan} ${own("stateRow")}
      ) as found from spans cross join keys`,
    branches: branchStatement(spans, {
      modelKey: isByModel ? sql`model` : sql`''`,
      groupKey: isByModel ? sql`parentId, model` : sql`parentId`,
      own: sql`${model === undefined ? sql`` : sql`and model = ${model}`} ${own("row")}`,
      given,
    }),
  };
}

/** A number as JSON with all its digits: SQLite's own JSON has fifteen. */
function exact(column: string): RawBuilder<string> {
  return sql`printf('%!.17g', ${sql.ref(column)})`;
}

const turnSums = sql`
  'turns', count(*), 'firstAtMs', min(recordedAtMs),
  'inputTokens', sum(inputTokens), 'outputTokens', sum(outputTokens),
  'cacheReadTokens', sum(cacheReadTokens), 'cacheWriteTokens', sum(cacheWriteTokens),
  'microUsd', sum(costMicroUsd), 'offlineMicroUsd', sum(costMicroUsd) filter (where scenario is not null),
  'durations', group_concat(${exact("durationMs")}),
  'others', json_group_array(json_array(outcome, errorKind)) filter (where outcome <> 'completed')`;

/** States from which several of the turns began: of one span by reading the turns in the order of those states, of many span by span. */
function branchStatement(
  spans: FiguresQuery["spans"],
  parts: Readonly<Record<"modelKey" | "groupKey" | "own" | "given", RawBuilder<unknown>>>,
): RawBuilder<BranchRow> {
  const { modelKey, groupKey, own, given } = parts;
  const [first] = spans;
  const turns = sql`outcome is not null and parentId is not null ${own}`;
  const counted =
    first && spans.length === 1
      ? sql`select 0 as span, ${modelKey} as model, count(*) as turns from states indexed by turnsByParent
          where ${turns} and recordedAtMs >= ${first[0]} and recordedAtMs < ${first[1]}
          group by ${groupKey} having turns > 1`
      : sql`select span, ${modelKey} as model, count(*) as turns from spans cross join states indexed by statesByTime
          where ${turns} and recordedAtMs >= sinceMs and recordedAtMs < untilMs
          group by span, ${groupKey} having turns > 1`;
  return sql<BranchRow>`with ${given}
    select span, model, count(*) as branchPoints, sum(turns) as branches from (${counted}) group by 1, 2`;
}

/** The states that begin a history. Where two workspaces have one in common, so they may have others. */
export async function readRoots(db: Index): Promise<readonly string[]> {
  return (await db.selectFrom("states").select("id").where("parentId", "is", null).execute()).map(({ id }) => id);
}

/** Which of these transitions led to a state. */
export async function findRecorded(db: Index, transitionIds: readonly string[]): Promise<readonly string[]> {
  const given = sql<string>`(select value from json_each(${JSON.stringify(transitionIds)}))`;
  const found = await db.selectFrom("states").select("transitionId").where("transitionId", "in", given).execute();
  return found.flatMap(({ transitionId }) => transitionId ?? []);
}
