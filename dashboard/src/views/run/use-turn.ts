import { keepPreviousData, useQueries, useQuery, type UseQueryResult } from "@tanstack/react-query";
import { useMemo } from "react";
import type * as Api from "../../../../src/monitor/api-types.ts";
import { api } from "../../data/api.ts";
import { ApiError } from "../../data/ask.ts";
import type { LogLine } from "../../data/run-log.ts";
import { useStateMessages, useWorkspaces } from "../../data/queries.ts";
import { fromJournal, rawOfJournal } from "../../parts/timeline/from-journal.ts";
import { fromMessages, rawOfMessages } from "../../parts/timeline/from-messages.ts";
import type { Entry, RawEntry } from "../../parts/timeline/entries.ts";
import { conversationPath } from "./replay.ts";

// While a replay goes from turn to turn, the one before is shown until the next one is there.

export function useTurnDetail(workspace: string, state: string): UseQueryResult<Api.StateDetail> {
  return useQuery({
    queryKey: ["workspaces", workspace, "state", state],
    queryFn: ({ signal }) => api.state(workspace, state, signal),
    placeholderData: keepPreviousData,
  });
}

export function useTurnDiff(workspace: string, state: string): UseQueryResult<Api.DiffData> {
  return useQuery({
    queryKey: ["content", workspace, "diff", state, {}],
    queryFn: ({ signal }) => api.diff(workspace, state, {}, signal),
    staleTime: Infinity,
    placeholderData: keepPreviousData,
  });
}

/** The states of the conversation on the way through this one. */
export function useConversationPath(
  workspace: string,
  { conversation, state }: { readonly conversation: string | undefined; readonly state: string | undefined },
): readonly Api.StateData[] {
  const { data } = useQuery({
    queryKey: ["workspaces", workspace, "conversation", conversation],
    queryFn: ({ signal }) => api.states(workspace, { conversation, order: "oldest", limit: 500 }, signal),
    enabled: conversation !== undefined,
    placeholderData: keepPreviousData,
  });
  return useMemo(
    () =>
      data && state !== undefined ? conversationPath(data.states, state).filter(({ kind }) => kind !== "start") : [],
    [data, state],
  );
}

export interface TurnTimeline {
  readonly entries: readonly Entry[];
  readonly raw: readonly RawEntry[];
  /** Where the agent worked, where that is told. */
  readonly directory: string | undefined;
}

const PAGE_LINES = 5000;

async function readJournal(run: string, signal: AbortSignal): Promise<readonly LogLine[]> {
  const lines: LogLine[] = [];
  for (;;) {
    const { events, last_line: last } = await api.runEvents(
      run,
      { after: lines.at(-1)?.line ?? 0, limit: PAGE_LINES },
      signal,
    );
    lines.push(...events);
    if (events.length < PAGE_LINES || last === 0) return lines;
  }
}

/** What happened in a recorded turn: by its journal, which knows most, or where that is gone by what was said. */
export function useTurnTimeline(
  workspace: string,
  state: string,
  transition: Api.StateDetail["transition"] | undefined,
): { readonly timeline: TurnTimeline | undefined; readonly error: unknown } {
  const run = transition?.id;
  const journal = useQuery({
    queryKey: ["content", "journal", run],
    queryFn: ({ signal }) => readJournal(run ?? "", signal),
    enabled: run !== undefined,
    staleTime: Infinity,
    retry: false,
  });
  const isGone = journal.error !== null;
  const messages = useStateMessages(workspace, isGone && run !== undefined ? state : undefined);
  const timeline = useMemo(() => {
    if (journal.data) {
      const directory = journal.data[0]?.event["directory"];
      return {
        entries: fromJournal(journal.data, true),
        raw: rawOfJournal(journal.data),
        directory: typeof directory === "string" ? directory : undefined,
      };
    }
    if (!messages.data || !transition) return undefined;
    return {
      entries: fromMessages(messages.data.messages, transition.tools),
      raw: rawOfMessages(messages.data.messages),
      directory: undefined,
    };
  }, [journal.data, messages.data, transition]);
  return { timeline, error: isGone ? messages.error : null };
}

/** Where the agent of a workspace's turn worked. */
export function useWorkspacePath(id: string): string | undefined {
  return useWorkspaces().data?.workspaces.find((workspace) => workspace.id === id)?.path;
}

/** The texts of files before a turn, as far as they are texts; undefined while they are read. */
export function useTextsBefore(
  workspace: string,
  parent: string | null | undefined,
  paths: readonly string[],
): ReadonlyMap<string, string | undefined> | undefined {
  return useQueries({
    queries: paths.map((path) => ({
      queryKey: ["content", workspace, "before", parent, path],
      queryFn: async ({ signal }: { signal: AbortSignal }): Promise<string | null> =>
        parent === null || parent === undefined ? null : await textBefore({ workspace, parent, path }, signal),
      staleTime: Infinity,
    })),
    combine: (answers) =>
      answers.some(({ isPending }) => isPending)
        ? undefined
        : new Map(answers.map(({ data }, place) => [paths[place] ?? "", data ?? undefined])),
  });
}

async function textBefore(
  { workspace, parent, path }: { readonly workspace: string; readonly parent: string; readonly path: string },
  signal: AbortSignal,
): Promise<string | null> {
  try {
    const { content, encoding, is_cut: isCut } = await api.file(workspace, parent, path, signal);
    return encoding === "utf8" && !isCut ? content : null;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
}
