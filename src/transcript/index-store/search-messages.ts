import { sql } from "kysely";
import { fullTextQuery } from "../../database/index.ts";
import type { IndexSetting } from "./index-setting.ts";
import { findRanges, makeSnippet, type SearchTerm, termsOf } from "./make-snippet.ts";
import type { MessageKind } from "./schema.ts";
import { readTexts, type RecordAddress, type SearchableTexts } from "./searchable-texts.ts";
import { ofPlace } from "./sql-parts.ts";
import type { SearchHit, SearchOptions, SearchPage, SearchRole } from "./transcript-index.ts";

/** Of more records than this, only those written last are ranked: ranking takes longer than finding. */
const MOST_RANKED = 2000;

/** Finds the records that hold all words. `session` is the id of a logical session. */
export async function searchMessages(
  setting: IndexSetting,
  words: string,
  options: SearchOptions,
): Promise<SearchPage> {
  const query = fullTextQuery(words, { isSegmented: true });
  if (query === undefined) return { hits: [], hasMore: false, isPartial: false };
  const { limit = 20, offset = 0 } = options;
  const rows = await findRows(setting, query, options);
  const terms = termsOf(query);
  const page = rows.toSorted(byRank).slice(offset, offset + limit);
  return {
    hits: page.map((row) => toHit(setting, row, terms, options.role)),
    hasMore: rows.length > offset + limit,
    isPartial: rows.length > MOST_RANKED,
  };
}

interface FoundRow extends RecordAddress {
  readonly row: number;
  readonly kind: MessageKind;
  readonly agentId: string | null;
  readonly timestampMs: number | null;
  readonly score: number;
  readonly sessionId: string;
  readonly project: string | null;
  readonly title: string | null;
}

async function findRows(setting: IndexSetting, query: string, options: SearchOptions): Promise<readonly FoundRow[]> {
  const { role } = options;
  const columns = role === undefined ? query : `${COLUMN_OF[role]} : (${query})`;
  const isKind = role === "prompt" || role === "answer" || role === "title";
  const kinds = isKind ? sql`messages.kind = ${role}` : sql`true`;
  const { rows } = await sql<FoundRow>`
    select messages.row, messages.offset, messages.lengthBytes, messages.uuid, messages.kind, messages.agentId,
      messages.timestampMs, files.path, files.isPurged, sessions.id as sessionId, sessions.project,
      coalesce(sessions.title, sessions.firstPrompt) as title,
      -- What was said counts more than what was thought, and that more than what went through tools.
      -bm25(words, 8.0, 3.0, 1.0) as score
    from words cross join messages on messages.row = words.rowid join files on files.row = messages.fileRow
      join sessions on sessions.id = files.logicalId
    where words match ${columns} and messages.isCopy = 0 and ${kinds} and ${ofPlace(options, sql`messages.timestampMs`)}
    order by words.rowid desc limit ${MOST_RANKED + 1}`.execute(setting.db);
  return rows;
}

const COLUMN_OF: Readonly<Record<SearchRole, string>> = {
  prompt: "said",
  answer: "said",
  title: "said",
  thinking: "thinking",
  tool: "tools",
};

function byRank(left: FoundRow, right: FoundRow): number {
  return right.score - left.score || (right.timestampMs ?? 0) - (left.timestampMs ?? 0) || right.row - left.row;
}

function toHit(setting: IndexSetting, row: FoundRow, terms: readonly SearchTerm[], wanted?: SearchRole): SearchHit {
  const texts = readTexts(setting, row);
  const best = texts && bestPart(texts, row.kind, terms, wanted);
  return {
    sessionId: row.sessionId,
    project: row.project ?? undefined,
    sessionTitle: row.title ?? undefined,
    role: best?.role ?? wanted ?? ROLE_OF[row.kind],
    uuid: row.uuid ?? undefined,
    agentId: row.agentId ?? undefined,
    timestampMs: row.timestampMs ?? undefined,
    path: row.path,
    offset: row.offset,
    rank: row.score,
    snippet: best && makeSnippet(best.text, best.ranges),
  };
}

/** The part of a record in which the words stand most often; what was said, where that is undecided. */
function bestPart(texts: SearchableTexts, kind: MessageKind, terms: readonly SearchTerm[], wanted?: SearchRole) {
  const parts = [
    { role: ROLE_OF[kind], text: texts.said },
    { role: "thinking" as const, text: texts.thinking },
    { role: "tool" as const, text: texts.tools },
  ].filter(({ text, role }) => text !== "" && (wanted === undefined || role === wanted));
  const found = parts.map((part) => ({ ...part, ranges: findRanges(part.text, terms) }));
  return found.toSorted((left, right) => right.ranges.length - left.ranges.length)[0];
}

/** What the CLI says stands in the place of an answer. */
const ROLE_OF: Readonly<Record<MessageKind, SearchRole>> = {
  prompt: "prompt",
  meta: "prompt",
  answer: "answer",
  system: "answer",
  tool: "tool",
  title: "title",
};
