import { z } from "zod";
import { defined, isoTime, SkeinError } from "../../core/internal.ts";
import { IndexedSessionData, MessageData, toIndexedSessionData, toMessageData } from "../../page/index.ts";
import { asData } from "../../protocol/index.ts";
import { readFirstPage, readLastPage, type IndexedSession } from "../../transcript/internal.ts";
import { pageFields, pageQuery, route } from "./route.ts";

const moment = z.iso.datetime({ offset: true });

const placeQuery = {
  project: z.string().optional().describe("Only this project: its path, or the last part of it"),
  since: moment.optional().describe("Active at this moment or later, ISO 8601"),
  until: moment.optional().describe("Active before this moment, ISO 8601"),
};

export const listSessions = route({
  path: "/api/sessions",
  operation: "listSessions",
  summary: "Claude Code's sessions, those that Skein did not start among them",
  query: z.strictObject({
    ...pageQuery,
    ...placeQuery,
    model: z.string().optional().describe("Answered by this model; part of the name is enough"),
    tool: z.string().optional().describe("Called this tool"),
    min_cost_usd: z.coerce.number().min(0).optional().describe("Cost at least this"),
    sort: z
      .enum(["recent", "started", "cost", "tokens", "messages", "duration"])
      .default("recent")
      .describe("The order, largest or newest first"),
  }),
  data: z.strictObject({
    sessions: z.array(IndexedSessionData).describe("The sessions"),
    count: z.int().describe("How many match, listed or not"),
    ...pageFields,
  }),
  async answer({ since, until, min_cost_usd, limit, offset, ...given }, { transcripts }) {
    const query = { ...given, ...period({ since, until }), minCostUsd: min_cost_usd, limit, offset };
    const page = await transcripts.useTotals((totals) => totals.sessions(defined(query)));
    const count = page.totals.sessions;
    return {
      sessions: page.sessions.map((session) => toIndexedSessionData(session)),
      count,
      next_offset: count > offset + limit ? offset + limit : null,
    };
  },
});

const HitData = z.strictObject({
  session_id: z.string().describe("The session that the words were found in"),
  project: z.string().nullable().describe("The folder that the session was in; null where it is not known"),
  session_title: z.string().nullable().describe("The session's title; null where it has none"),
  role: z.enum(["prompt", "answer", "thinking", "tool", "title"]).describe("What text it is"),
  at: z.string().nullable().describe("When it was written, ISO 8601; null where the record does not say"),
  uuid: z.string().nullable().describe("The record's id; null where it has none"),
  offset: z.int().describe("Where the record is in its file, in bytes"),
  snippet: z.string().nullable().describe("A part of the text around the words; null where the file is gone"),
  ranges: z
    .array(z.tuple([z.int(), z.int()]))
    .describe("Where the words are in the snippet: the first character and the one after the last"),
});

export const searchSessions = route({
  path: "/api/search",
  operation: "searchSessions",
  summary: "Messages of all sessions that hold all the words, the best first",
  query: z.strictObject({
    words: z.string().min(1).max(1000).describe('The words; `"a phrase"` and `begin*` are understood'),
    ...pageQuery,
    ...placeQuery,
    session: z.string().optional().describe("Only this session: its id, or the only one that begins so"),
  }),
  data: z.strictObject({
    hits: z.array(HitData).describe("What was found"),
    missing_bytes: z.int().describe("How much of the transcripts the index has not taken in yet; it does so meanwhile"),
    ...pageFields,
  }),
  async answer({ words, since, until, limit, offset, ...place }, { transcripts }) {
    const query = { ...place, ...period({ since, until }), limit, offset };
    const page = await transcripts.useIndex((index) => index.search(words, defined(query)));
    const hits = page.hits.map(({ timestampMs, snippet, ...hit }) =>
      asData(HitData, {
        ...hit,
        at: timestampMs === undefined ? undefined : isoTime(timestampMs),
        snippet: snippet?.text,
        ranges: (snippet?.ranges ?? []).map(([start, end]): [number, number] => [start, end]),
      }),
    );
    const next = page.hasMore ? offset + limit : null;
    return { hits, missing_bytes: page.missing.bytes, next_offset: next };
  },
});

const sessionParameters = z.strictObject({
  session: z.string().min(1).max(200).describe("The session's id, or the only one that begins so"),
});

export const getSession = route({
  path: "/api/sessions/{session}",
  operation: "getSession",
  summary: "A session of Claude Code's",
  parameters: sessionParameters,
  data: z.strictObject({ session: IndexedSessionData.describe("The session") }),
  async answer({ session: id }, { transcripts }) {
    return { session: toIndexedSessionData(await transcripts.useTotals((totals) => totals.session(id))) };
  },
});

export const getSessionMessages = route({
  path: "/api/sessions/{session}/messages",
  operation: "listSessionMessages",
  summary: "A page of a session's messages: from its end, or with `after` from its beginning",
  parameters: sessionParameters,
  query: z.strictObject({
    limit: z.coerce.number().int().min(1).max(500).default(50).describe("How many messages at most"),
    before: z.coerce.number().int().min(0).optional().describe("The last messages before this place in the file"),
    after: z.coerce
      .number()
      .int()
      .min(0)
      .optional()
      .describe("The first messages after this place in the file; 0 is its beginning"),
  }),
  data: z.strictObject({
    messages: z.array(MessageData).describe("The messages, oldest first"),
    start: z.int().describe("Where the page begins in the file: give it as `before` for the page before"),
    end: z.int().describe("Where it ends: give it as `after` for the page after"),
    has_before: z.boolean().describe("Whether there are messages before the page"),
    has_after: z.boolean().describe("Whether there are messages after it"),
  }),
  async answer({ session: id, limit, before, after }, { transcripts }) {
    if (before !== undefined && after !== undefined) {
      throw new SkeinError("A page is before a place or after one, not both", { kind: "usage", target: "before" });
    }
    const path = fileOf(await transcripts.useTotals((totals) => totals.session(id)), after !== undefined);
    const page =
      after === undefined
        ? readLastPage(path, limit, before === undefined ? {} : { before })
        : readFirstPage(path, limit, { after });
    const { messages, start, end, hasBefore, hasAfter } = page;
    return { messages: toMessageData(messages), start, end, has_before: hasBefore, has_after: hasAfter };
  },
});

/** What was resumed goes on in another file: a page from the beginning is of the first, others of the last. */
function fileOf({ id, files }: IndexedSession, isFirst: boolean): string {
  const own = files.filter(({ isSubagent, isPurged }) => !isSubagent && !isPurged);
  const path = (isFirst ? own[0] : own.at(-1))?.path;
  if (path !== undefined) return path;
  throw new SkeinError(`The transcript of the session ${id} is gone`, { kind: "session_not_found", target: id });
}

function period({ since, until }: { readonly since?: string | undefined; readonly until?: string | undefined }) {
  return {
    sinceMs: since === undefined ? undefined : Date.parse(since),
    untilMs: until === undefined ? undefined : Date.parse(until),
  };
}
