import type { RecordedSearches, RunList } from "../../../../src/monitor/api-types.ts";

type Recorded = RecordedSearches["searches"][number];
type Run = RunList["runs"][number];

/** A search: what its recorded turns came to, what its journal tells, or both. */
export interface ListedSearch {
  readonly id: string;
  readonly at: string;
  readonly recorded: Recorded | undefined;
  readonly run: Run | undefined;
}

/**
 * The searches by when something last happened in them. A journal is removed in time and the turns stay; a search that has just begun has a journal and no turn yet.
 * Where more recorded ones are to come, journals that are older than the last of these wait for them.
 */
export function mergeSearches(
  recorded: readonly Recorded[],
  { runs, hasMore }: { readonly runs: readonly Run[]; readonly hasMore: boolean },
): readonly ListedSearch[] {
  const runOf = new Map(runs.map((run) => [run.run, run]));
  const known = new Set(recorded.map(({ id }) => id));
  const last = hasMore ? (recorded.at(-1)?.updated_at ?? "") : "";
  const listed = [
    ...recorded.map((each) => ({ id: each.id, at: each.updated_at, recorded: each, run: runOf.get(each.id) })),
    ...runs
      .filter((run) => !known.has(run.run) && run.updated_at >= last)
      .map((run) => ({ id: run.run, at: run.updated_at, recorded: undefined, run })),
  ];
  return listed.toSorted((left, right) => (left.at < right.at ? 1 : left.at > right.at ? -1 : 0));
}
