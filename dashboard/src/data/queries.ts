import { keepPreviousData, useQuery, type UseQueryResult } from "@tanstack/react-query";
import type * as Api from "../../../src/monitor/api-types.ts";
import { api } from "./api.ts";

// The first part of a key is what the stream's messages make old: `runs`, `teams`, `workspaces`, `sessions`, `metrics`, `alerts`, `server`.

export function useHealth(): UseQueryResult<Api.Health> {
  return useQuery({ queryKey: ["server", "health"], queryFn: ({ signal }) => api.health(signal) });
}

export function useWorkspaces(): UseQueryResult<Api.WorkspaceList> {
  return useQuery({ queryKey: ["workspaces"], queryFn: ({ signal }) => api.workspaces(signal) });
}

export function useWorkspace(id: string): UseQueryResult<Api.WorkspaceData> {
  return useQuery({ queryKey: ["workspaces", id, "sums"], queryFn: ({ signal }) => api.workspace(id, signal) });
}

export function useTree(id: string): UseQueryResult<Api.TreeData> {
  return useQuery({
    queryKey: ["workspaces", id, "tree"],
    queryFn: ({ signal }) => api.tree(id, signal),
    placeholderData: keepPreviousData,
  });
}

/** A state never changes, but for its names, rewards and remarks. */
export function useStateDetail(id: string, state: string): UseQueryResult<Api.StateDetail> {
  return useQuery({
    queryKey: ["workspaces", id, "state", state],
    queryFn: ({ signal }) => api.state(id, state, signal),
  });
}

/** What a turn added to its session; asked for once a state is named. */
export function useStateMessages(id: string, state: string | undefined): UseQueryResult<Api.StateMessages> {
  return useQuery({
    queryKey: ["content", id, "messages", state],
    queryFn: ({ signal }) => api.messages(id, state ?? "", signal),
    enabled: state !== undefined,
    staleTime: Infinity,
  });
}

export function useDiff(
  id: string,
  state: string,
  query: { readonly from?: string; readonly path?: string } = {},
): UseQueryResult<Api.DiffData> {
  return useQuery({
    queryKey: ["content", id, "diff", state, query],
    queryFn: ({ signal }) => api.diff(id, state, query, signal),
    staleTime: Infinity,
  });
}

export function useFile(id: string, state: string, path: string | undefined): UseQueryResult<Api.FileContent> {
  return useQuery({
    queryKey: ["content", id, "file", state, path],
    queryFn: ({ signal }) => api.file(id, state, path ?? "", signal),
    enabled: path !== undefined,
    staleTime: Infinity,
  });
}

export function useAlerts(): UseQueryResult<Api.AlertList> {
  return useQuery({ queryKey: ["alerts"], queryFn: ({ signal }) => api.alerts(signal) });
}

/** What a prompt can name, while it is being written. */
export function useSuggestions(
  workspace: string,
  wanted: { readonly kind: "files" | "commands"; readonly words: string } | undefined,
): UseQueryResult<Api.SuggestionList> {
  const { kind = "files", words = "" } = wanted ?? {};
  return useQuery({
    queryKey: ["workspaces", workspace, "suggestions", kind, words],
    queryFn: ({ signal }) => api.suggestions(workspace, { kind, words, limit: MOST_SUGGESTIONS }, signal),
    enabled: wanted !== undefined,
    placeholderData: (before, query) => (query?.queryKey[3] === kind ? before : undefined),
  });
}

const MOST_SUGGESTIONS = 8;

/** The id of a workspace by its path, as runs name it. */
export function useWorkspaceId(path: string | undefined): string | undefined {
  return useWorkspaces().data?.workspaces.find((workspace) => workspace.path === path)?.id;
}
