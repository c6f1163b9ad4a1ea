import { sql } from "kysely";
import { fullTextQuery } from "../../database/index.ts";
import type { MessageKind } from "../digest/file-digest.ts";
import { isOfPlace } from "../totals/session-filter.ts";
import type { SessionSum } from "../totals/sum-sessions.ts";
import { findSession, type TotalsView } from "../totals/totals-view.ts";
import { findRanges, makeSnippet, type SearchTerm, termsOf } from "./make-snippet.ts";
import type { WordIndex } from "./refresh-words.ts";
import type { WordDatabase, WordTables } from "./schema.ts";
import { readTexts, type SearchableTexts } from "./searchable-texts.ts";
import type { SearchHit, SearchOptions, SearchPage, SearchRole } from "./transcript-index.ts";

/** Of more records than this, only those written last are ranked: ranking takes longer than finding. */
const MOST_RANKED = 2000;

/** Finds the records that hold all words. */
export async function searchMessages(
  { store, totals, setting }: WordIndex,
  words: string,
  options: SearchOptions,
): Promise<Omit<SearchPage, "missing">> {
  const query = fullTextQuery(words, { isSegmented: true });
  if (query === undefined) return { hits: [], hasMore: false, isPartial: false };
  const { limit = 20, offset = 0, role } = options;
  const places = placesOf(totals.view(), options);
  const rows = await findRows(store.db, query, {
    ...options,
    paths: isPlaced(options) ? [...places.keys()] : undefined,
  });
  const found = withoutCopies(rows.flatMap((row) => placed(row, places.get(row.path)))).toSorted(byRank);
  const terms = termsOf(query);
  return {
    hits: found.slice(offset, offset + limit).map((row) => {
      const texts = readTexts(setting, { ...row, isPurged: row.place.isPurged });
      return toHit(row, texts && bestPart(texts, row.kind, terms, role), role);
    }),
    hasMore: found.length > offset + limit,
    isPartial: rows.length > MOST_RANKED,
  };
}

/** What the totals say of a file in which words were found. */
interface FoundPlace {
  readonly isPurged: boolean;
  readonly session: SessionSum;
  readonly title: string | undefined;
}

function isPlaced({ project, session }: SearchOptions): boolean {
  return project !== undefined || session !== undefined;
}

/** The files of the sessions that are meant, by their paths. A session is named by any of its ids, or by the beginning of one. */
function placesOf(view: TotalsView, { session, ...options }: SearchOptions): ReadonlyMap<string, FoundPlace> {
  const wanted = session === undefined ? options : { ...options, session: findSession(view, session).id };
  const places = new Map<string, FoundPlace>();
  for (const [file, { facts }] of view.ledger.files.entries()) {
    const owner = view.sessionOf(file);
    if (!isOfPlace(owner, wanted)) continue;
    places.set(facts.path, { isPurged: facts.isPurged, session: owner, title: owner.title ?? owner.firstPrompt });
  }
  return places;
}

interface MatchedRow extends Omit<WordTables["messages"], "fileRow"> {
  readonly path: string;
  readonly score: number;
}

interface FoundRow extends MatchedRow {
  readonly place: FoundPlace;
}

/** A file that the totals do not know is one that was deleted on purpose, or that they have not read yet. */
function placed(row: MatchedRow, place: FoundPlace | undefined): readonly FoundRow[] {
  return place === undefined ? [] : [{ ...row, place }];
}

interface RowQuery extends SearchOptions {
  /** All files, where it is undefined. */
  readonly paths: readonly string[] | undefined;
}

async function findRows(db: WordDatabase, query: string, options: RowQuery): Promise<readonly MatchedRow[]> {
  const { role, sinceMs, untilMs, paths } = options;
  const columns = role === undefined ? query : `${COLUMN_OF[role]} : (${query})`;
  const isKind = role === "prompt" || role === "answer" || role === "title";
  const conditions = [
    sql`words match ${columns}`,
    ...(isKind ? [sql`messages.kind = ${role}`] : []),
    ...(sinceMs === undefined ? [] : [sql`messages.timestampMs >= ${sinceMs}`]),
    ...(untilMs === undefined ? [] : [sql`messages.timestampMs < ${untilMs}`]),
    ...(paths === undefined ? [] : [sql`files.path in (select value from json_each(${JSON.stringify(paths)}))`]),
  ];
  const { rows } = await sql<MatchedRow>`
    select messages.row, messages.offset, messages.lengthBytes, messages.uuid, messages.kind, messages.agentId,
      messages.timestampMs, files.path,
      -- What was said counts more than what was thought, and that more than what went through tools.
      -bm25(words, 8.0, 3.0, 1.0) as score
    from words cross join messages on messages.row = words.rowid join files on files.row = messages.fileRow
    where ${sql.join(conditions, sql` and `)}
    order by words.rowid desc limit ${MOST_RANKED + 1}`.execute(db);
  return rows;
}

const COLUMN_OF: Readonly<Record<SearchRole, string>> = {
  prompt: "said",
  answer: "said",
  title: "said",
  thinking: "thinking",
  tool: "tools",
};

/** What was resumed or forked repeats records: the first of them by path and place is the one. */
function withoutCopies(rows: readonly FoundRow[]): readonly FoundRow[] {
  const first = new Map<string, FoundRow>();
  for (const row of rows) {
    const known = row.uuid === null ? undefined : first.get(row.uuid);
    if (row.uuid !== null && (known === undefined || isBefore(row, known))) first.set(row.uuid, row);
  }
  return rows.filter((row) => row.uuid === null || first.get(row.uuid) === row);
}

function isBefore(left: FoundRow, right: FoundRow): boolean {
  return left.path === right.path ? left.offset < right.offset : left.path < right.path;
}

function byRank(left: FoundRow, right: FoundRow): number {
  return right.score - left.score || (right.timestampMs ?? 0) - (left.timestampMs ?? 0) || right.row - left.row;
}

function toHit(row: FoundRow, best: ReturnType<typeof bestPart>, wanted?: SearchRole): SearchHit {
  const { session, title } = row.place;
  return {
    sessionId: session.id,
    project: session.project,
    sessionTitle: title,
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
