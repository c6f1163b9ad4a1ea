import { z } from "zod";
import { defined, isoTime } from "../../../core/internal.ts";
import { IndexedSessionData, toIndexedSessionData, toUsageData, UsageData } from "../../../page/index.ts";
import { asData } from "../../../protocol/index.ts";
import type { IndexedSession } from "../../../transcript/internal.ts";
import type { SessionFlags } from "../../flags/session-flags.ts";
import { pageFields, pageQuery, route } from "../route.ts";

const moment = z.iso.datetime({ offset: true });

/** What people said of a session. */
export const flagFields = {
  pinned: z.boolean().describe("Whether somebody pinned it"),
  archived: z.boolean().describe("Whether somebody put it away"),
  read_to: z.string().nullable().describe("Up to when somebody has read it, ISO 8601; null where nobody said so"),
  is_unread: z.boolean().describe("Whether something happened in it since"),
};

const SessionData = z.strictObject({ ...IndexedSessionData.shape, ...flagFields });

export function toFlagData(session: IndexedSession, flags: SessionFlags) {
  const { pinned, archived, readTo } = flags.of(session);
  return { pinned, archived, read_to: readTo, is_unread: flags.isUnread(session) };
}

function toSessionData(session: IndexedSession, flags: SessionFlags): z.infer<typeof SessionData> {
  return { ...toIndexedSessionData(session), ...toFlagData(session, flags) };
}

const isSo = z.stringbool({ truthy: ["true", "1"], falsy: ["false", "0"] });

/** Of which project and time sessions are. */
export const placeQuery = {
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
    pinned: isSo.optional().describe("Only those that are pinned, or that are not"),
    archived: isSo.optional().describe("Only those that were put away, or that were not"),
    unread: isSo.optional().describe("Only those in which something happened since they were read, or nothing"),
    sort: z
      .enum(["recent", "started", "cost", "tokens", "messages", "duration"])
      .default("recent")
      .describe("The order, largest or newest first"),
  }),
  data: z.strictObject({
    sessions: z.array(SessionData).describe("The sessions"),
    count: z.int().describe("How many match, listed or not"),
    ...pageFields,
  }),
  async answer({ since, until, min_cost_usd, limit, offset, ...all }, { transcripts, flags }) {
    const { pinned, archived, unread, ...given } = all;
    const where = (session: Parameters<SessionFlags["isUnread"]>[0]): boolean => {
      const flag = flags.of(session);
      return (
        (pinned === undefined || flag.pinned === pinned) &&
        (archived === undefined || flag.archived === archived) &&
        (unread === undefined || flags.isUnread(session) === unread)
      );
    };
    const query = { ...given, ...toPeriod({ since, until }), minCostUsd: min_cost_usd, limit, offset, where };
    const page = await transcripts.useTotals((totals) => totals.sessions(defined(query)));
    const count = page.totals.sessions;
    return {
      sessions: page.sessions.map((session) => toSessionData(session, flags)),
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
    const query = { ...place, ...toPeriod({ since, until }), limit, offset };
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

export const sessionParameters = z.strictObject({
  session: z.string().min(1).max(200).describe("The session's id, or the only one that begins so"),
});

export const getSession = route({
  path: "/api/sessions/{session}",
  operation: "getSession",
  summary: "A session of Claude Code's",
  parameters: sessionParameters,
  data: z.strictObject({ session: SessionData.describe("The session") }),
  async answer({ session: id }, { transcripts, flags }) {
    return { session: toSessionData(await transcripts.useTotals((totals) => totals.session(id)), flags) };
  },
});

export const listProjects = route({
  path: "/api/projects",
  operation: "listProjects",
  summary: "The projects that have sessions of Claude Code's, the one in which something happened last first",
  data: z.strictObject({
    projects: z
      .array(
        z.strictObject({
          project: z.string().describe("Its path; where no record names it, Claude Code's folder for it"),
          sessions: z.int().describe("How many sessions it has"),
          last_active_at: z
            .string()
            .nullable()
            .describe("When something last happened in it, ISO 8601; null where no record says"),
          usage: UsageData.describe("What the responses in its sessions used"),
        }),
      )
      .describe("The projects"),
  }),
  async answer(_, { transcripts }) {
    const projects = await transcripts.useTotals((totals) => totals.projects());
    return {
      projects: projects.map(({ project, sessions, endedAtMs, usage }) => ({
        project,
        sessions,
        last_active_at: endedAtMs === undefined ? null : isoTime(endedAtMs),
        usage: toUsageData(usage),
      })),
    };
  },
});

export function toPeriod({
  since,
  until,
}: {
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}) {
  return {
    sinceMs: since === undefined ? undefined : Date.parse(since),
    untilMs: until === undefined ? undefined : Date.parse(until),
  };
}
