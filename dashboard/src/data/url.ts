import { useCallback } from "react";
import { useLocation, useSearchParams } from "wouter";

type Changes = Readonly<Record<string, string | undefined>>;

/** A part of the address that a view keeps: what is filtered, selected, compared. */
export function useParam(name: string): string | undefined {
  const [params] = useSearchParams();
  return params.get(name) ?? undefined;
}

/** Changes parts of the address; undefined takes one away. Selecting replaces, so that Back leads to the view before. */
export function useSetParams(): (changes: Changes, how?: "replace" | "push") => void {
  const [, setParams] = useSearchParams();
  return useCallback(
    (changes, how = "replace") =>
      setParams(
        (before) => {
          const next = new URLSearchParams(before);
          for (const [name, value] of Object.entries(changes)) {
            if (value === undefined || value === "") next.delete(name);
            else next.set(name, value);
          }
          return next;
        },
        { replace: how === "replace" },
      ),
    [setParams],
  );
}

/** Goes to another view. */
export function useGo(): (address: string) => void {
  const [, go] = useLocation();
  return go;
}

const part = encodeURIComponent;

/** The addresses of the page: what they name, they show again. */
export const addressOf = {
  now: () => "/",
  start: () => "/?start=run",
  runs: (filter?: string) => (filter === undefined ? "/runs" : `/runs?q=${part(filter)}`),
  /** A run while it goes on, and what was recorded of it after. */
  run: (run: string) => `/runs/${part(run)}`,
  /** A recorded turn, by the state that it led to. */
  state: (workspace: string, state: string) => `/w/${part(workspace)}/states/${part(state)}`,
  trees: () => "/tree",
  tree: (workspace: string, state?: string) =>
    `/w/${part(workspace)}/tree${state === undefined ? "" : `?select=${part(state)}`}`,
  compare: (workspace: string, left: string, right: string) =>
    `/w/${part(workspace)}/tree?select=${part(left)}&compare=${part(right)}`,
  files: (workspace: string, state?: string, path?: string) => {
    const query = new URLSearchParams({ ...(state !== undefined && { state }), ...(path !== undefined && { path }) });
    return `/w/${part(workspace)}/files${query.size === 0 ? "" : `?${query.toString()}`}`;
  },
  sessions: () => "/sessions",
  session: (session: string) => `/sessions/${part(session)}`,
  teams: () => "/team",
  team: (team: string, selected?: string) =>
    `/team/${part(team)}${selected === undefined ? "" : `?select=${part(selected)}`}`,
  costs: () => "/costs",
} as const;
