import {
  keepPreviousData,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
  type UseInfiniteQueryResult,
  type InfiniteData,
  type UseMutationResult,
  type UseQueryResult,
} from "@tanstack/react-query";
import type * as Api from "../../../../src/monitor/api-types.ts";
import { api } from "../../data/api.ts";
import { tellFailure } from "../../parts/tell-failure.ts";

export type Session = Api.SessionList["sessions"][number];

/** Which sessions a list has. */
export const FILTERS = ["all", "unread", "pinned", "archived"] as const;

export type Filter = (typeof FILTERS)[number];

const QUERIES: Readonly<Record<Filter, Partial<Pick<Api.SessionQuery, "pinned" | "archived" | "unread">>>> = {
  all: { archived: "false" },
  unread: { unread: "true", archived: "false" },
  pinned: { pinned: "true" },
  archived: { archived: "true" },
};

export const SORTS = ["recent", "started", "cost", "tokens", "messages", "duration"] as const;

export type Sort = (typeof SORTS)[number];

const PAGE = 100;

export interface SessionsAsked {
  readonly filter: Filter;
  readonly sort: Sort;
  readonly project: string | undefined;
}

/** Sessions, page by page. */
export function useSessionList({
  filter,
  sort,
  project,
}: SessionsAsked): UseInfiniteQueryResult<InfiniteData<Api.SessionList>> {
  return useInfiniteQuery({
    queryKey: ["sessions", "list", filter, sort, project],
    queryFn: async ({ pageParam, signal }) =>
      await api.sessions(
        { ...QUERIES[filter], sort, ...(project !== undefined && { project }), limit: PAGE, offset: pageParam },
        signal,
      ),
    initialPageParam: 0,
    getNextPageParam: ({ next_offset: next }) => next ?? undefined,
    placeholderData: keepPreviousData,
  });
}

export function useProjects(): UseQueryResult<Api.ProjectList> {
  return useQuery({ queryKey: ["sessions", "projects"], queryFn: ({ signal }) => api.projects(signal) });
}

const HITS = 50;

/** Messages that hold all words: of all sessions, of a project, or of one session. */
export function useSearch(
  words: string,
  place: { readonly session?: string | undefined; readonly project?: string | undefined } = {},
): UseInfiniteQueryResult<InfiniteData<Api.SearchHits>> {
  return useInfiniteQuery({
    queryKey: ["sessions", "search", words, place],
    queryFn: async ({ pageParam, signal }) =>
      await api.search({ words, ...place, limit: HITS, offset: pageParam }, signal),
    initialPageParam: 0,
    getNextPageParam: ({ next_offset: next }) => next ?? undefined,
    enabled: words.trim() !== "",
    placeholderData: keepPreviousData,
  });
}

/** Pins a session, puts it away, or notes up to when it was read. */
export function useFlags(id: string): UseMutationResult<Api.SessionFlagsAnswer, Error, Api.SessionFlagsBody> {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (flags) => await api.setSessionFlags(id, flags),
    onSuccess: async () => await queries.invalidateQueries({ queryKey: ["sessions"] }),
  });
}

export interface PageAsked {
  readonly session: string;
  /** The sub-agent whose messages are read; those of the session itself where there is none. */
  readonly agent: string | undefined;
  /** The place in the file to begin at; the end where there is none. */
  readonly at: number | undefined;
}

const MESSAGES = 60;

type Place = { readonly before?: number; readonly after?: number };

function firstPlace(at: number | undefined): Place {
  return at === undefined ? {} : { after: at };
}

/** Messages of a session, from its end or from a place, and both ways on from there. */
export function useSessionPages({
  session,
  agent,
  at,
}: PageAsked): UseInfiniteQueryResult<InfiniteData<Api.SessionMessages>> {
  const about = { limit: MESSAGES, ...(agent !== undefined && { agent }) };
  return useInfiniteQuery({
    queryKey: ["transcript", session, agent, at],
    queryFn: async ({ pageParam, signal }) => await api.sessionMessages(session, { ...about, ...pageParam }, signal),
    initialPageParam: firstPlace(at),
    getPreviousPageParam: ({ has_before: hasBefore, start }): Place | undefined =>
      hasBefore ? { before: start } : undefined,
    // What is at the end now may be followed by more.
    getNextPageParam: ({ end }): Place => ({ after: end }),
    staleTime: Infinity,
  });
}

type Page = Api.SessionMessages;
type Message = Page["messages"][number];

/** Brings all of a message that the server cut, and puts it in the place of its part. */
export function useShowWhole({ session, agent, at }: PageAsked): (page: Page, message: Message) => void {
  const queries = useQueryClient();
  const bring = async (page: Page, message: Message): Promise<void> => {
    const about = { limit: MESSAGES, after: page.start, whole: true, ...(agent !== undefined && { agent }) };
    const { messages } = await api.sessionMessages(session, about);
    const whole = messages.find((each) => isSame(each, message));
    if (!whole) throw new Error("It is no longer in the transcript");
    queries.setQueryData<InfiniteData<Page>>(["transcript", session, agent, at], (data) => {
      const swap = (each: Page): Page => ({
        ...each,
        messages: each.messages.map((one) => (isSame(one, message) ? whole : one)),
      });
      return data && { ...data, pages: data.pages.map((each) => (each.start === page.start ? swap(each) : each)) };
    });
  };
  return (page, message) =>
    void bring(page, message).catch((error: unknown) => tellFailure("Could not show all of the message", error));
}

function isSame(one: Message, other: Message): boolean {
  return one.uuid === other.uuid && one.message_id === other.message_id && one.at === other.at;
}

const LOOK_EVERY_MS = 3000;

/** A session, looked at again and again while it is shown: others write it. */
export function useSession(id: string): UseQueryResult<Api.SessionDetail> {
  return useQuery({
    queryKey: ["sessions", "one", id],
    queryFn: ({ signal }) => api.session(id, signal),
    refetchInterval: LOOK_EVERY_MS,
  });
}

export function useSubagents(id: string, isAny: boolean): UseQueryResult<Api.SubagentList> {
  return useQuery({
    queryKey: ["sessions", "subagents", id],
    queryFn: ({ signal }) => api.subagents(id, signal),
    enabled: isAny,
  });
}
