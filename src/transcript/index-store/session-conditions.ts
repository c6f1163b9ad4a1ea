import { sql, type RawBuilder, type SqlBool } from "kysely";
import type { SessionQuery } from "./session-query.ts";

/** What must hold of a row of `sessions`. */
export function sessionConditions(query: SessionQuery): RawBuilder<SqlBool> {
  const { project, sinceMs, untilMs, model, tool, minCostUsd } = query;
  return allOf([
    project === undefined ? undefined : ofProject(project),
    sinceMs === undefined ? undefined : sql`sessions.endedAtMs >= ${sinceMs}`,
    untilMs === undefined ? undefined : sql`sessions.startedAtMs < ${untilMs}`,
    model === undefined
      ? undefined
      : sql`exists (select 1 from json_each(sessions.models) where instr(lower(value), ${model.toLowerCase()}))`,
    tool === undefined
      ? undefined
      : sql`exists (select 1 from json_each(sessions.tools) where value ->> 'tool' = ${tool})`,
    minCostUsd === undefined ? undefined : sql`sessions.costUsd >= ${minCostUsd}`,
  ]);
}

/** Whether a session is of a project: by its path, the path's last part, or Claude Code's folder. */
export function ofProject(project: string): RawBuilder<SqlBool> {
  const path = project.length > 1 ? project.replace(/[/\\]+$/u, "") : project;
  return sql`${path} in (sessions.project, sessions.projectName, sessions.folder)`;
}

/** All conditions that are given; without any, everything fits. */
export function allOf(conditions: readonly (RawBuilder<unknown> | undefined)[]): RawBuilder<SqlBool> {
  const given = conditions.filter((condition) => condition !== undefined);
  return given.length === 0 ? sql<SqlBool>`true` : sql<SqlBool>`${sql.join(given, sql` and `)}`;
}
