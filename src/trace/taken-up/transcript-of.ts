import { formatJsonl } from "../../core/index.ts";
import { parseSession, type Transcript } from "../../transcript/index.ts";
import type { CapturedSession } from "../../workspace/index.ts";
import type { SessionEntry, SessionSegment } from "../session-entry.ts";

/** A captured session as a transcript. */
export function transcriptOfCaptured({ path, sessionId, main, subagents }: CapturedSession): Transcript {
  const pieces = Array.from(subagents, ([name, bytes]) => [name, [{ path: name, bytes }]] as const);
  return parseSession({ path, sessionId, main: [{ path, bytes: main }], subagents: new Map(pieces) });
}

/** A session that is held in memory as a transcript; undefined where nothing was said. */
export function transcriptOf(sessionId: string, { main, subagents }: SessionSegment): Transcript | undefined {
  if (main.length + subagents.size === 0) return undefined;
  const path = `${sessionId}.jsonl`;
  const pieces = Array.from(subagents, ([name, entries]) => [`${name}.jsonl`, [toPiece(name, entries)]] as const);
  return parseSession({ path, sessionId, main: [toPiece(path, main)], subagents: new Map(pieces) });
}

function toPiece(path: string, entries: readonly SessionEntry[]): { readonly path: string; readonly bytes: Buffer } {
  return { path, bytes: Buffer.from(entries.map((entry) => formatJsonl(entry)).join("")) };
}
