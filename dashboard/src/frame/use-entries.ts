import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useDeferredValue, useEffect, useMemo, useState } from "react";
import type * as Api from "../../../src/monitor/api-types.ts";
import { api } from "../data/api.ts";
import { useWorkspaces } from "../data/queries.ts";
import { addressOf, useGo } from "../data/url.ts";
import { useLive } from "../data/use-live.ts";
import { baseName } from "../parts/format.ts";
import { plainLine } from "../parts/plain.ts";
import { findEntries, type Entry } from "./find-entries.ts";
import { readKeys } from "./keys.ts";

const MOST_OF_A_GROUP = 6;
const MOST_CONVERSATIONS = 200;

/** What the palette offers for some words: of this page at once, of the server as soon as it answers. */
export function useEntries(words: string): { readonly entries: readonly Entry[]; readonly isSearching: boolean } {
  const known = useKnown();
  const { entries: asked, isSearching } = useAsked(words);
  const wanted = useDeferredValue(words);
  const found = useMemo(() => findEntries(known, wanted, MOST_OF_A_GROUP), [known, wanted]);
  // A turn that ended of late is a run too.
  const shown = new Set(found.map(({ id }) => id));
  return { entries: [...found, ...asked.filter(({ id }) => !shown.has(id))], isSearching };
}

/** What is known without asking for the words. */
function useKnown(): readonly Entry[] {
  const go = useGo();
  const [keys] = useState(readKeys);
  const workspaces = useWorkspaces().data?.workspaces;
  const runs = useLive((live) => live.runs);
  const conversations = useQuery({
    queryKey: ["runs", "conversations", MOST_CONVERSATIONS],
    queryFn: ({ signal }) => api.allConversations({ limit: MOST_CONVERSATIONS }, signal),
  }).data?.conversations;
  return useMemo(
    () => [
      ...[...runs.values()].toSorted(lastFirst).flatMap((run) => runEntry(run, go)),
      ...keys
        .filter(({ key }) => key !== "mod+k" && key !== "Escape")
        .map(({ key, label, run }) => ({ id: `key:${key}`, group: "Actions" as const, label, shortcut: key, run })),
      ...(workspaces ?? []).flatMap((workspace) => workspaceEntries(workspace, go)),
      ...(conversations ?? []).map((conversation) => ({
        id: `conversation:${conversation.id}`,
        group: "Conversations" as const,
        label: plainLine(conversation.first_prompt, 200) || conversation.id,
        detail: baseName(conversation.workspace),
        run: () => go(addressOf.runs(`conversation:${conversation.id}`)),
      })),
    ],
    [runs, keys, workspaces, conversations, go],
  );
}

type Go = (address: string) => void;

/** What goes on, then what ended last. */
function lastFirst(left: Api.RunData, right: Api.RunData): number {
  const isGoing = ({ state }: Api.RunData): number => (state === "running" ? 1 : 0);
  return isGoing(right) - isGoing(left) || Date.parse(right.updated_at) - Date.parse(left.updated_at);
}

function runEntry(run: Api.RunData, go: Go): readonly Entry[] {
  if (run.kind === "program") return [];
  const label = plainLine(run.prompt ?? run.strategy ?? run.run, 200);
  const detail = `${run.state === "running" ? "runs" : "ended"} in ${baseName(run.workspace)}`;
  return [{ id: `run:${run.run}`, group: "Runs", label, detail, run: () => go(addressOf.run(run.run)) }];
}

function workspaceEntries({ id, path }: Api.WorkspaceList["workspaces"][number], go: Go): readonly Entry[] {
  const entry = (what: string, address: string): Entry => ({
    id: `${what}:${id}`,
    group: "Workspaces",
    label: `${baseName(path)}: ${what}`,
    detail: path,
    run: () => go(address),
  });
  return [
    entry("tree", addressOf.tree(id)),
    entry("files", addressOf.files(id)),
    entry("start a run", `${addressOf.start()}&workspace=${encodeURIComponent(id)}`),
  ];
}

const WRITES_FOR_MS = 180;
const SHORTEST_WORDS = 2;

/** Turns and sessions that hold the words, once a person stops writing for a moment. */
function useAsked(words: string): { readonly entries: readonly Entry[]; readonly isSearching: boolean } {
  const go = useGo();
  const wanted = useLater(words.trim());
  const isWanted = wanted.length >= SHORTEST_WORDS;
  const turns = useQuery({
    queryKey: ["runs", "palette", wanted],
    queryFn: ({ signal }) => api.allStates({ text: wanted, limit: MOST_OF_A_GROUP }, signal),
    enabled: isWanted,
    placeholderData: keepPreviousData,
  });
  const hits = useQuery({
    queryKey: ["sessions", "palette", wanted],
    queryFn: ({ signal }) => api.search({ words: wanted, limit: MOST_OF_A_GROUP }, signal),
    enabled: isWanted,
    placeholderData: keepPreviousData,
  });
  if (words.trim().length < SHORTEST_WORDS) return { entries: [], isSearching: false };
  const isSearching = wanted !== words.trim() || turns.isFetching || hits.isFetching;
  return {
    isSearching,
    entries: [
      ...(turns.data?.states ?? []).map((state) => turnEntry(state, go)),
      ...(hits.data?.hits ?? []).map((hit) => hitEntry(hit, go)),
    ],
  };
}

function turnEntry(
  { state_id: id, workspace_id: workspace, workspace: path, turn }: Api.AllStates["states"][number],
  go: Go,
): Entry {
  return {
    id: `run:${turn?.transition_id ?? id}`,
    group: "Turns",
    label: plainLine(turn?.prompt ?? id, 200),
    detail: baseName(path),
    run: () => go(addressOf.state(workspace, id)),
  };
}

function hitEntry(hit: Api.SearchHits["hits"][number], go: Go): Entry {
  const { session_id: session, session_title: title, project, snippet, offset } = hit;
  return {
    id: `hit:${session}:${offset}`,
    group: "Sessions",
    label: plainLine(snippet ?? title ?? session, 200),
    detail: title ?? (project === null ? undefined : baseName(project)),
    run: () => go(addressOf.session(session)),
  };
}

/** A text once it has not changed for a moment. */
function useLater(text: string): string {
  const [later, setLater] = useState(text);
  useEffect(() => {
    const timer = window.setTimeout(() => setLater(text), WRITES_FOR_MS);
    return () => window.clearTimeout(timer);
  }, [text]);
  return later;
}
