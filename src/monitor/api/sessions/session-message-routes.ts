import { basename } from "node:path";
import { z } from "zod";
import { SkeinError } from "../../../core/internal.ts";
import { readFirstPage, readLastPage, type IndexedSession } from "../../../transcript/internal.ts";
import { notFound } from "../not-found.ts";
import { ReaderMessageData, toReaderMessages } from "./reader-message.ts";
import { route } from "../route.ts";
import { sessionParameters } from "./session-routes.ts";

export const getSessionMessages = route({
  path: "/api/sessions/{session}/messages",
  operation: "listSessionMessages",
  summary: "A page of a session's messages, or of a sub-agent's: from its end, or with `after` from its beginning",
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
    agent: z.string().max(200).optional().describe("Of the sub-agent with this id; of the session itself unless said"),
    whole: z
      .stringbool({ truthy: ["true", "1"], falsy: ["false", "0"] })
      .default(false)
      .describe("Tell long texts whole, and pictures however large"),
  }),
  data: z.strictObject({
    messages: z.array(ReaderMessageData).describe("The messages, oldest first"),
    start: z.int().describe("Where the page begins in the file: give it as `before` for the page before"),
    end: z.int().describe("Where it ends: give it as `after` for the page after"),
    has_before: z.boolean().describe("Whether there are messages before the page"),
    has_after: z.boolean().describe("Whether there are messages after it"),
  }),
  async answer({ session: id, limit, before, after, agent, whole }, { transcripts }) {
    if (before !== undefined && after !== undefined) {
      throw new SkeinError("A page is before a place or after one, not both", { kind: "usage", target: "before" });
    }
    const session = await transcripts.useTotals((totals) => totals.session(id));
    const path = agent === undefined ? fileOf(session, after !== undefined) : agentFileOf(session, agent);
    const page =
      after === undefined
        ? readLastPage(path, limit, before === undefined ? {} : { before })
        : readFirstPage(path, limit, { after });
    const { messages, start, end, hasBefore, hasAfter } = page;
    return {
      messages: toReaderMessages(messages, { isWhole: whole }),
      start,
      end,
      has_before: hasBefore,
      has_after: hasAfter,
    };
  },
});

export const listSubagents = route({
  path: "/api/sessions/{session}/subagents",
  operation: "listSubagents",
  summary: "The sub-agents of a session that have files of their own: their messages are asked for by their ids",
  parameters: sessionParameters,
  data: z.strictObject({
    subagents: z
      .array(
        z.strictObject({
          agent_id: z.string().describe("The sub-agent's id"),
          first_prompt: z.string().nullable().describe("The beginning of what it was asked; null where nothing was"),
          started_at: z.string().nullable().describe("When that was, ISO 8601; null where the record does not say"),
          size_bytes: z.int().describe("The size of its file"),
        }),
      )
      .describe("The sub-agents, the first one first"),
  }),
  async answer({ session: id }, { transcripts }) {
    const { files } = await transcripts.useTotals((totals) => totals.session(id));
    const subagents = files
      .filter(({ isSubagent, isPurged }) => isSubagent && !isPurged)
      .map(({ path, sizeBytes }) => {
        const [first] = readFirstPage(path, 1).messages;
        return {
          agent_id: agentIdOf(path),
          first_prompt: first ? first.text.slice(0, 500) : null,
          started_at: first?.timestamp ?? null,
          size_bytes: sizeBytes,
        };
      });
    return { subagents: subagents.toSorted((left, right) => compare(left.started_at ?? "", right.started_at ?? "")) };
  },
});

function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

/** What was resumed goes on in another file: a page from the beginning is of the first, others of the last. */
function fileOf({ id, files }: IndexedSession, isFirst: boolean): string {
  const own = files.filter(({ isSubagent, isPurged }) => !isSubagent && !isPurged);
  const path = (isFirst ? own[0] : own.at(-1))?.path;
  if (path !== undefined) return path;
  throw new SkeinError(`The transcript of the session ${id} is gone`, { kind: "session_not_found", target: id });
}

/** It is looked for among the files that there are: no path is made of what somebody asks for. */
function agentFileOf({ files }: IndexedSession, agent: string): string {
  const found = files.find(({ path, isSubagent, isPurged }) => isSubagent && !isPurged && agentIdOf(path) === agent);
  if (found) return found.path;
  throw notFound("sub-agent", agent);
}

function agentIdOf(path: string): string {
  return basename(path, ".jsonl").replace(/^agent-/u, "");
}
