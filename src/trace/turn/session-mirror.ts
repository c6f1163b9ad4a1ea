import { defined } from "../../core/index.ts";
import type { ClaudeOptions } from "../../engine/index.ts";
import { allEntries, EMPTY_SEGMENT, type SessionEntry, type SessionSegment } from "../session/session-entry.ts";
import type { Journal } from "./journal.ts";

/** Stands between the SDK and the trace store: serves the session to go on from, and gathers what is added to it. */
export interface SessionMirror {
  readonly store: NonNullable<ClaudeOptions["sessionStore"]>;
  take(): SessionSegment;
}

/**
 * The SDK appends a fork's whole history again, under the ids that it had: what is in the store already is passed over, so that nothing is
 * kept twice. `onAppend` gets each batch before it counts as gathered, to write it down first.
 */
export function createSessionMirror({
  load,
  redact,
  onAppend,
}: {
  load(): Promise<SessionSegment>;
  redact<Entry>(entry: Entry): Entry;
  onAppend: Journal["entries"];
}): SessionMirror {
  const known = new Set<string>();
  let main: SessionEntry[] = [];
  let subagents = new Map<string, SessionEntry[]>();
  const pending = async (): Promise<SessionSegment> => {
    const session = await load();
    for (const entry of allEntries(session)) if (entry.uuid !== undefined) known.add(entry.uuid);
    return session;
  };
  return {
    store: {
      async append({ subpath }, entries) {
        const added = (entries as readonly SessionEntry[])
          .filter(({ uuid }) => uuid === undefined || !known.has(uuid))
          .map((entry) => redact(entry));
        for (const { uuid } of added) if (uuid !== undefined) known.add(uuid);
        if (added.length === 0) return;
        await onAppend({ entries: added, ...defined({ subagent: subpath }) });
        if (subpath === undefined) main.push(...added);
        else subagents.set(subpath, [...(subagents.get(subpath) ?? []), ...added]);
      },
      async load({ sessionId, subpath }) {
        const session = await pending();
        const entries =
          subpath === undefined
            ? [...session.main, ...main]
            : [...(session.subagents.get(subpath) ?? []), ...(subagents.get(subpath) ?? [])];
        const told = entries.filter(({ type }) => CONVERSED.has(type));
        return told.length === 0 ? null : told.map((entry) => underId(entry, sessionId));
      },
      async listSubkeys() {
        return [...new Set([...(await load()).subagents.keys(), ...subagents.keys()])];
      },
    },
    take() {
      const segment = main.length === 0 && subagents.size === 0 ? EMPTY_SEGMENT : { main, subagents };
      main = [];
      subagents = new Map();
      return segment;
    },
  };
}

/**
 * What is said in a conversation, and what it was cut down to. The other lines of a transcript are orders to the CLI that
 * takes it up: a permission mode, a folder to work in, an agent, files to put back. They may come from somebody else, and
 * those who go on say themselves what is in force.
 */
const CONVERSED = new Set(["user", "assistant", "system", "attachment", "summary"]);

/** After a fork the earlier lines still name the session that they came from; the CLI expects one name throughout. */
function underId(entry: SessionEntry, sessionId: string): { type: string; [field: string]: unknown } {
  return "sessionId" in entry ? { ...entry, sessionId } : { ...entry };
}
