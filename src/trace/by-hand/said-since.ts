import type { SessionEntry, SessionSegment } from "../session-entry.ts";

/** What was said by a moment, as far as that is known. */
export interface SaidBefore {
  /** The session as it was then. */
  readonly session?: SessionSegment | undefined;
  /** The moment, ISO 8601. */
  readonly at: string;
}

/** A session in two parts: what was there before, and what was said since. */
export interface DividedSession {
  readonly before: SessionSegment;
  readonly since: SessionSegment;
}

/**
 * Divides a session at a moment. Where it is known what there was, a fork's copies of it are known again by their ids; elsewhere the times
 * decide: a session that is resumed has lines from long before.
 */
export function divideSession(session: SessionSegment, said: SaidBefore): DividedSession {
  const isKnown = said.session ? createMemory(said.session) : undefined;
  const divide = (entries: readonly SessionEntry[]): readonly [readonly SessionEntry[], readonly SessionEntry[]] => {
    if (isKnown) return [entries.filter(isKnown), entries.filter((entry) => !isKnown(entry))];
    const start = entries.findLastIndex(({ timestamp = "" }) => Date.parse(timestamp) < Date.parse(said.at)) + 1;
    return [entries.slice(0, start), entries.slice(start)];
  };
  const main = divide(session.main);
  const subagents = Array.from(session.subagents, ([path, entries]) => [path, divide(entries)] as const);
  const part = (index: 0 | 1): SessionSegment => ({
    main: main[index],
    subagents: new Map(
      subagents.map(([path, parts]) => [path, parts[index]] as const).filter(([, entries]) => entries.length > 0),
    ),
  });
  return { before: part(0), since: part(1) };
}

function createMemory({ main, subagents }: SessionSegment): (entry: SessionEntry) => boolean {
  const keyOf = (entry: SessionEntry): string => entry.uuid ?? JSON.stringify(entry);
  const known = new Set([...main, ...[...subagents.values()].flat()].map(keyOf));
  return (entry) => known.has(keyOf(entry));
}
