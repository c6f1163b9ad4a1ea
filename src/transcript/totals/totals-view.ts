import { groupBy, type PriceTable, SkeinError } from "../../core/internal.ts";
import type { IndexedFile, IndexedSession, ProjectSum, SessionPage, SessionQuery } from "./transcript-totals.ts";
import type { FileFacts } from "../digest/file-digest.ts";
import type { Ledger, LedgerFile } from "./ledger.ts";
import { type Copies, markCopies } from "./mark-copies.ts";
import { isOfProject } from "./session-filter.ts";
import { type SessionSum, sumSessions } from "./sum-sessions.ts";
import { addSum, createUsageSum, priceUsage, toTotals } from "./usage-sums.ts";

/** A ledger with all that follows from it. */
export interface TotalsView {
  readonly ledger: Ledger;
  readonly copies: Copies;
  /** What each row of usage cost. */
  readonly costs: Float64Array;
  readonly sessions: readonly SessionSum[];
  /** The session that a file belongs to, by the file's place in the ledger. */
  sessionOf(file: number): SessionSum;
  /** What people call a session. */
  labelOf(id: string): string | undefined;
}

export function viewTotals(ledger: Ledger, prices: PriceTable): TotalsView {
  const copies = markCopies(ledger);
  const costs = priceUsage(ledger, prices);
  const sessions = sumSessions(ledger, copies, costs);
  const owners: SessionSum[] = [];
  for (const session of sessions) for (const file of session.files) owners[file] = session;
  const byId = new Map(sessions.map((session) => [session.id, session]));
  return {
    ledger,
    copies,
    costs,
    sessions,
    sessionOf: (file) => owners[file] as SessionSum,
    labelOf(id) {
      const session = byId.get(id);
      return session?.title ?? session?.firstPrompt;
    },
  };
}

/** Whether a copy of a transcript holds all that was read of it. */
export type IsKept = (facts: FileFacts) => boolean;

export function pageOfSessions(
  view: TotalsView,
  query: SessionQuery,
  isKept: IsKept,
): Pick<SessionPage, "sessions" | "totals"> {
  const found = view.sessions.filter((session) => fits(session, query));
  const sum = createUsageSum();
  for (const { usage } of found) addSum(sum, usage);
  const { offset = 0, limit = found.length } = query;
  const page = sortSessions(found, query.sort).slice(offset, offset + limit);
  return {
    sessions: page.map((session) => toSession(view, session, isKept)),
    totals: { ...toTotals(sum), sessions: found.length },
  };
}

export function sumProjects({ sessions }: TotalsView): readonly ProjectSum[] {
  const groups = groupBy(sessions, ({ project, folder }) => project ?? folder);
  const projects = [...groups].map(([project, own]): ProjectSum => {
    const sum = createUsageSum();
    for (const { usage } of own) addSum(sum, usage);
    const endedAtMs = Math.max(...own.map(({ endedAtMs: atMs }) => atMs ?? NEVER));
    return {
      project,
      sessions: own.length,
      endedAtMs: endedAtMs === NEVER ? undefined : endedAtMs,
      usage: toTotals(sum),
    };
  });
  return projects.toSorted((left, right) => (right.endedAtMs ?? 0) - (left.endedAtMs ?? 0));
}

/** The session with an id, or with the only one that begins so. */
export function findSession({ sessions }: TotalsView, id: string): SessionSum {
  const exact = sessions.filter(({ sessionIds }) => sessionIds.includes(id));
  const starting = (): readonly SessionSum[] =>
    id === "" ? [] : sessions.filter(({ sessionIds }) => sessionIds.some((each) => each.startsWith(id)));
  const found = exact.length > 0 ? exact : starting();
  const [session] = found;
  if (session === undefined || found.length > 1) throw notOne(id, found);
  return session;
}

const MOST_NAMED = 6;

function notOne(id: string, found: readonly SessionSum[]): SkeinError {
  const isAmbiguous = found.length > 1;
  const ids = found.map((session) => session.id).toSorted();
  return new SkeinError(isAmbiguous ? `Several session ids start with ${id}` : `There is no session ${id}`, {
    kind: isAmbiguous ? "usage" : "session_not_found",
    target: id,
    hint: isAmbiguous
      ? `Give more of the id: ${ids.slice(0, MOST_NAMED).join(", ")}`
      : "skein sessions lists them; one that has just begun is there after a refresh",
  });
}

function fits(session: SessionSum, query: SessionQuery): boolean {
  const { project, sinceMs, untilMs, model, tool, minCostUsd, where = () => true } = query;
  const { startedAtMs = Number.NaN, endedAtMs = Number.NaN, usage } = session;
  return (
    isOfProject(session, project) &&
    where(session) &&
    (sinceMs === undefined || endedAtMs >= sinceMs) &&
    (untilMs === undefined || startedAtMs < untilMs) &&
    (model === undefined || session.models.some((name) => name.toLowerCase().includes(model.toLowerCase()))) &&
    (tool === undefined || session.tools.some(({ tool: name }) => name === tool)) &&
    (minCostUsd === undefined || usage.costUsd + usage.offlineCostUsd >= minCostUsd)
  );
}

const NEVER = Number.NEGATIVE_INFINITY;

const MEASURES: Readonly<Record<NonNullable<SessionQuery["sort"]>, (session: SessionSum) => number>> = {
  recent: ({ endedAtMs }) => endedAtMs ?? NEVER,
  started: ({ startedAtMs }) => startedAtMs ?? NEVER,
  cost: ({ usage }) => usage.costUsd + usage.offlineCostUsd,
  tokens: ({ usage: { usage } }) =>
    usage.inputTokens + usage.outputTokens + usage.cacheReadTokens + usage.cacheWriteTokens,
  messages: ({ messages }) => messages,
  duration: ({ startedAtMs, endedAtMs }) => (endedAtMs ?? NEVER) - (startedAtMs ?? 0),
};

/** The largest first; of two alike the newest, then by id. */
function sortSessions(sessions: readonly SessionSum[], sort: SessionQuery["sort"] = "recent"): readonly SessionSum[] {
  const measured = sessions.map((session) => ({ session, size: MEASURES[sort](session) }));
  const byTime = ({ session }: (typeof measured)[number]): number => session.endedAtMs ?? NEVER;
  const descending = (left: number, right: number): number => (left === right ? 0 : left > right ? -1 : 1);
  return measured
    .toSorted(
      (left, right) =>
        descending(left.size, right.size) ||
        descending(byTime(left), byTime(right)) ||
        (left.session.id < right.session.id ? -1 : 1),
    )
    .map(({ session }) => session);
}

export function toSession({ ledger }: TotalsView, session: SessionSum, isKept: IsKept): IndexedSession {
  const { files, usage, folder: _folder, ...sums } = session;
  const { sessionIds, tools, startedAtMs, endedAtMs } = sums;
  const facts = files.map((file) => (ledger.files[file] as LedgerFile).facts);
  const sorted = facts.toSorted((left, right) => (left.path < right.path ? -1 : 1));
  return {
    ...sums,
    durationMs: (endedAtMs ?? 0) - (startedAtMs ?? 0),
    toolCalls: tools.reduce((sum, { calls }) => sum + calls, 0),
    toolErrors: tools.reduce((sum, { errors }) => sum + errors, 0),
    files: sorted
      .toSorted((left, right) => placeOf(left, sessionIds) - placeOf(right, sessionIds))
      .map((each) => toFile(each, isKept)),
    usage: toTotals(usage),
  };
}

/** The sessions' own files in the order of their ids, which is that of their age, then those of sub-agents. */
function placeOf({ isSubagent, sessionId }: FileFacts, sessionIds: readonly string[]): number {
  return isSubagent ? sessionIds.length : sessionIds.indexOf(sessionId ?? "");
}

function toFile(facts: FileFacts, isKept: IsKept): IndexedFile {
  const { path, sessionId, isSubagent, sizeBytes, modifiedAtNs, isPurged } = facts;
  const modifiedAtMs = modifiedAtNs === "" ? 0 : Number(BigInt(modifiedAtNs) / 1_000_000n);
  return { path, sessionId: sessionId ?? "", isSubagent, sizeBytes, modifiedAtMs, isPurged, isKept: isKept(facts) };
}
