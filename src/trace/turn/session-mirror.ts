import { defined } from "../../core/internal.ts";
import type { ClaudeOptions } from "../../engine/internal.ts";
import {
  addEntries,
  allEntries,
  createSegment,
  joinSegments,
  type SessionEntry,
  type SessionSegment,
} from "../session/session-entry.ts";
import type { Journal } from "./journal.ts";

/** Stands between the SDK and the trace store: serves the session to go on from, and gathers what is added to it. */
export type SessionMirror = ReturnType<typeof createSessionMirror>;

/**
 * The SDK appends a fork's whole history again, under the ids that it had: what is in the store already is passed over, so that nothing is
 * kept twice. `onAppend` gets each batch before it counts as gathered, to write it down first.
 */
export function createSessionMirror(
  load: () => Promise<SessionSegment>,
  { redact, onAppend }: { redact<Entry>(entry: Entry): Entry; onAppend: Journal["entries"] },
) {
  const known = new Set<string>();
  let gathered = createSegment();
  const store: NonNullable<ClaudeOptions["sessionStore"]> = {
    async append({ subpath }, entries) {
      const added = (entries as readonly SessionEntry[])
        .filter(({ uuid }) => uuid === undefined || !known.has(uuid))
        .map((entry) => redact(entry));
      for (const { uuid } of added) if (uuid !== undefined) known.add(uuid);
      if (added.length === 0) return;
      await onAppend({ entries: added, ...defined({ subagent: subpath }) });
      addEntries(gathered, added, subpath);
    },
    async load({ sessionId, subpath }) {
      const session = await load();
      for (const { uuid } of allEntries(session)) if (uuid !== undefined) known.add(uuid);
      const { main, subagents } = joinSegments(session, gathered);
      const entries = subpath === undefined ? main : (subagents.get(subpath) ?? []);
      const told = entries.filter(({ type }) => CONVERSED.has(type));
      return told.length === 0 ? null : told.map((entry) => underId(entry, sessionId));
    },
    async listSubkeys() {
      return [...joinSegments(await load(), gathered).subagents.keys()];
    },
  };
  return {
    store,
    /** What was gathered since the last call. */
    take(): SessionSegment {
      const segment = gathered;
      gathered = createSegment();
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
