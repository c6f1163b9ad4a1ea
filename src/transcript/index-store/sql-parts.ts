import { sql, type RawBuilder, type SqlBool } from "kysely";
import { OFFLINE_ID_GLOB, offlineName, scenarioOfMessage } from "../../core/internal.ts";
import { NO_TOKENS, type TokenUsage } from "../usage/usage-line.ts";
import { roundUsd, type UsageTotals } from "../usage/usage-totals.ts";
import type { PlaceOptions } from "./transcript-index.ts";

export function allOf(conditions: readonly (RawBuilder<unknown> | undefined)[]): RawBuilder<SqlBool> {
  const given = conditions.filter((condition) => condition !== undefined);
  return given.length === 0 ? sql<SqlBool>`true` : sql<SqlBool>`${sql.join(given, sql` and `)}`;
}

export function when<Value>(value: Value | undefined, condition: (value: Value) => RawBuilder<unknown>) {
  return value === undefined ? undefined : condition(value);
}

/** Whether a session is of a project: by its path, the path's last part, or Claude Code's folder. */
export function ofProject(project: string | undefined): RawBuilder<unknown> | undefined {
  const path = project !== undefined && project.length > 1 ? project.replace(/[/\\]+$/u, "") : project;
  return when(path, (place) => sql`${place} in (sessions.project, sessions.projectName, sessions.folder)`);
}

/** Whether something is of a project, of a session and of a stretch of time. `session` is the id of a logical session. */
export function ofPlace(place: PlaceOptions, moment: RawBuilder<unknown>): RawBuilder<SqlBool> {
  const { project, session, sinceMs, untilMs } = place;
  return allOf([
    ofProject(project),
    when(session, (id) => sql`sessions.id = ${id}`),
    when(sinceMs, (ms) => sql`${moment} >= ${ms}`),
    when(untilMs, (ms) => sql`${moment} < ${ms}`),
  ]);
}

/** Values as one value of a query: a list of values would be another statement for each length, and has a longest one. */
export function listOf<Value extends number | string>(values: readonly Value[]): RawBuilder<Value> {
  return sql<Value>`(select value from json_each(${JSON.stringify(values)}))`;
}

export interface UsageSums extends TokenUsage {
  readonly costUsd: number;
  readonly offlineCostUsd: number;
  readonly responses: number;
  readonly lowerBounds: number;
  readonly unpriced: number;
}

const NO_SUMS: UsageSums = { ...NO_TOKENS, costUsd: 0, offlineCostUsd: 0, responses: 0, lowerBounds: 0, unpriced: 0 };

/** The columns that count tokens, in the order of the table `usage`. */
export const TOKENS = Object.keys(NO_TOKENS) as (keyof TokenUsage)[];

const HAS_TOKENS: RawBuilder<unknown> = sql`
  usage.inputTokens + usage.outputTokens + usage.cacheReadTokens + usage.cacheWriteTokens > 0`;

const IS_OFFLINE: RawBuilder<unknown> = sql`usage.messageId glob ${sql.lit(OFFLINE_ID_GLOB)}`;

/** Who gave a response: the model, or the scenario of the offline model, as the start of the ids of its responses. */
export const ANSWERED_BY: RawBuilder<string> = sql`
  case when ${IS_OFFLINE} then substr(usage.messageId, 1, length(usage.messageId) - 33) else usage.model end`;

/** The same as people read it. */
export function answeredBy(key: string): string {
  const scenario = scenarioOfMessage(`${key}_${"0".repeat(32)}`);
  return scenario === undefined ? key : offlineName(scenario);
}

export const USAGE_SUMS: RawBuilder<unknown> = sql`${sumsOf("usage")},
  coalesce(sum(usage.costUsd) filter (where not ${IS_OFFLINE}), 0.0) as costUsd,
  coalesce(sum(usage.costUsd) filter (where ${IS_OFFLINE}), 0.0) as offlineCostUsd,
  count(*) filter (where usage.part = 0) as responses,
  count(*) filter (where usage.part = 0 and usage.isFinal = 0 and ${HAS_TOKENS}) as lowerBounds,
  count(*) filter (where usage.costUsd is null and ${HAS_TOKENS}) as unpriced`;

export const SESSION_SUMS: RawBuilder<unknown> = sql`${sumsOf("sessions")},
  coalesce(sum(sessions.costUsd), 0.0) as costUsd,
  coalesce(sum(sessions.offlineCostUsd), 0.0) as offlineCostUsd,
  coalesce(sum(responses), 0) as responses,
  coalesce(sum(lowerBounds), 0) as lowerBounds,
  coalesce(sum(unpriced), 0) as unpriced`;

/** The columns that add up equal shares of rows of `usage`; what does not divide goes to the first of `count` places. */
export const SHARED_SUMS: RawBuilder<unknown> = sql`${sql.join(
  TOKENS.map((name) => {
    const column = sql.ref(`usage.${name}`);
    return sql`coalesce(sum(${column} / count + (place < ${column} % count)), 0) as ${sql.ref(name)}`;
  }),
)},
  coalesce(sum(usage.costUsd / count) filter (where not ${IS_OFFLINE}), 0.0) as costUsd,
  coalesce(sum(usage.costUsd / count) filter (where ${IS_OFFLINE}), 0.0) as offlineCostUsd,
  count(distinct usage.messageId) as responses,
  count(distinct usage.messageId) filter (where usage.part = 0 and usage.isFinal = 0 and ${HAS_TOKENS}) as lowerBounds,
  count(distinct usage.messageId) filter (where usage.costUsd is null and ${HAS_TOKENS}) as unpriced`;

function sumsOf(table: "usage" | "sessions"): RawBuilder<unknown> {
  const tokens = TOKENS.map((name) => sql`coalesce(sum(${sql.ref(`${table}.${name}`)}), 0) as ${sql.ref(name)}`);
  return sql`${sql.join(tokens)}`;
}

export function addSums(sums: readonly UsageSums[]): UsageSums {
  const total: { -readonly [Field in keyof UsageSums]: number } = { ...NO_SUMS };
  for (const each of sums) for (const field of Object.keys(NO_SUMS) as (keyof UsageSums)[]) total[field] += each[field];
  return total;
}

export function toTotals(sums: UsageSums): UsageTotals {
  return {
    usage: Object.fromEntries(TOKENS.map((name) => [name, sums[name]])) as unknown as TokenUsage,
    costUsd: roundUsd(sums.costUsd),
    offlineCostUsd: roundUsd(sums.offlineCostUsd),
    messages: sums.responses,
    lowerBounds: sums.lowerBounds,
    unpriced: sums.unpriced,
  };
}
