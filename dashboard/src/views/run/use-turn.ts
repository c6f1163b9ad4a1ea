import { keepPreviousData, useQuery, type UseQueryResult } from "@tanstack/react-query";
import { useMemo } from "react";
import type * as Api from "../../../../src/monitor/api-types.ts";
import { api } from "../../data/api.ts";
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

/** The patch of one file, where the patch of all is too long to be told whole. */
export function useFileDiff(workspace: string, state: string, path: string | undefined): UseQueryResult<Api.DiffData> {
  return useQuery({
    queryKey: ["content", workspace, "diff", state, { path }],
    queryFn: ({ signal }) => api.diff(workspace, state, { path: path ?? "" }, signal),
    enabled: path !== undefined,
    staleTime: Infinity,
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
      directory: messages.data.directory ?? undefined,
    };
  }, [journal.data, messages.data, transition]);
  return { timeline, error: isGone ? messages.error : null };
}

/** Where the agent of a workspace's turn worked. */
export function useWorkspacePath(id: string): string | undefined {
  return useWorkspaces().data?.workspaces.find((workspace) => workspace.id === id)?.path;
}
