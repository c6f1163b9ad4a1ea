import { keepPreviousData, useQueries, useQuery } from "@tanstack/react-query";
import { useCallback, useMemo, useState } from "react";
import type { AllStates, AllStatesQuery } from "../../../../src/monitor/api-types.ts";
import { api } from "../../data/api.ts";

export type Turn = AllStates["states"][number];

const PAGE = 100;

export interface StatesList {
  /** How many there are; undefined while it is not known. */
  readonly count: number | undefined;
  /** How many came since the list was looked at. */
  readonly newer: number;
  readonly skipped: AllStates["skipped"];
  readonly error: unknown;
  at(index: number): Turn | undefined;
  /** Says which rows are on the screen. */
  see(first: number, last: number): void;
  /** Takes in what came since. */
  takeNewer(): void;
  retry(): void;
}

/**
 * The turns of all workspaces, of which only the pages on the screen are read. The list ends at the newest turn that was there when it
 * was opened, by the record's own time: what comes later is counted, and moves nothing until somebody wants it.
 */
export function useStates(query: AllStatesQuery): StatesList {
  const [end, setEnd] = useState<string>();
  const [seen, setSeen] = useState<readonly [first: number, last: number]>([0, 0]);
  const bound = earlier(end, query.until);
  const bounded = useMemo(
    (): AllStatesQuery => ({ ...query, ...(bound !== undefined && { until: bound }) }),
    [query, bound],
  );

  const newest = useQuery({
    queryKey: ["workspaces", "all-states", "newest"],
    queryFn: ({ signal }) => api.allStates({ kind: "any", limit: 1 }, signal),
  });
  const newestAt = newest.data?.states[0]?.recorded_at;
  if (end === undefined && newestAt !== undefined) setEnd(justAfter(newestAt));

  const isReady = newest.isFetched && (newestAt === undefined || end !== undefined);
  const counted = useQuery({
    queryKey: ["workspaces", "all-states", "count", bounded],
    queryFn: ({ signal }) => api.allStates({ ...bounded, limit: 1, count: "true" }, signal),
    enabled: isReady,
    placeholderData: keepPreviousData,
  });
  const later = useQuery({
    queryKey: ["workspaces", "all-states", "newer", query, end],
    queryFn: ({ signal }) => api.allStates({ ...query, since: end, limit: 1, count: "true" }, signal),
    enabled: end !== undefined && query.until === undefined && newestAt !== undefined && newestAt >= end,
  });

  const places = useMemo(() => pagesOf(seen), [seen]);
  const pages = useQueries({
    queries: places.map((place) => ({
      queryKey: ["workspaces", "all-states", "page", bounded, place],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        api.allStates({ ...bounded, limit: PAGE, offset: place * PAGE }, signal),
      enabled: isReady,
      staleTime: 60_000,
    })),
  });
  const byPlace = new Map(places.map((place, index) => [place, pages[index]?.data?.states]));
  const see = useCallback((first: number, last: number) => {
    setSeen((before) => (samePages(before, [first, last]) ? before : [first, last]));
  }, []);
  return {
    count: counted.data?.count ?? undefined,
    newer: later.data?.count ?? 0,
    skipped: counted.data?.skipped ?? [],
    error: newest.error ?? counted.error ?? pages.find(({ error }) => error)?.error,
    at: (index) => byPlace.get(Math.floor(index / PAGE))?.[index % PAGE],
    see,
    takeNewer: () => newestAt !== undefined && setEnd(justAfter(newestAt)),
    retry: () => [newest, counted, ...pages].forEach((each) => void (each.error && each.refetch())),
  };
}

/** What a person asked for ends the list where it is earlier. */
function earlier(end: string | undefined, until: string | undefined): string | undefined {
  if (end === undefined || until === undefined) return end ?? until;
  return end < until ? end : until;
}

function justAfter(moment: string): string {
  return new Date(Date.parse(moment) + 1).toISOString();
}

function pagesOf([first, last]: readonly [number, number]): readonly number[] {
  const [from, to] = [Math.floor(first / PAGE), Math.floor(last / PAGE)];
  return Array.from({ length: to - from + 1 }, (_, place) => from + place);
}

function samePages(one: readonly [number, number], other: readonly [number, number]): boolean {
  return one.every((index, place) => Math.floor(index / PAGE) === Math.floor((other[place] ?? 0) / PAGE));
}
