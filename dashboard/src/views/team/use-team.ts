import { keepPreviousData, useQuery, type UseQueryResult } from "@tanstack/react-query";
import { useEffect } from "react";
import type * as Api from "../../../../src/monitor/api-types.ts";
import { api } from "../../data/api.ts";
import { queries, stream } from "../../data/live.ts";

export function useTeams(): UseQueryResult<Api.TeamList> {
  return useQuery({ queryKey: ["teams", "list"], queryFn: ({ signal }) => api.teams({ limit: 100 }, signal) });
}

const READ_EVERY_MS = 300;

/** A team, read again as something happens in it. */
export function useTeam(id: string): UseQueryResult<Api.TeamAnswer> {
  const query = useQuery({
    queryKey: ["teams", "team", id],
    queryFn: ({ signal }) => api.team(id, signal),
    placeholderData: keepPreviousData,
  });
  const run = query.data?.team.run ?? undefined;
  useEffect(() => {
    if (run === undefined) return undefined;
    let timer: number | undefined;
    const soon = (): void => {
      timer ??= window.setTimeout(() => {
        timer = undefined;
        void queries.invalidateQueries({ queryKey: ["teams", "team"] });
      }, READ_EVERY_MS);
    };
    const ends = [
      stream.want(`run:${run}`),
      stream.onMessage((message) => {
        if (message.type === "event" && message.run === run) soon();
      }),
    ];
    return () => {
      window.clearTimeout(timer);
      for (const end of ends) end();
    };
  }, [run]);
  return query;
}
