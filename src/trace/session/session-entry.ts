import { defined } from "../../core/internal.ts";

/** One line of a Claude Code transcript, kept whole. */
export interface SessionEntry {
  readonly type: string;
  readonly uuid?: string;
  readonly timestamp?: string;
  readonly [field: string]: unknown;
}

/** What a turn added to its session: the main transcript, and those of sub-agents by their path in the session. */
export interface SessionSegment {
  readonly main: readonly SessionEntry[];
  readonly subagents: ReadonlyMap<string, readonly SessionEntry[]>;
}

export const EMPTY_SEGMENT: SessionSegment = { main: [], subagents: new Map() };

/** A segment to add to. */
export function createSegment(): { main: SessionEntry[]; subagents: Map<string, SessionEntry[]> } {
  return { main: [], subagents: new Map() };
}

export function addEntries(
  { main, subagents }: ReturnType<typeof createSegment>,
  entries: readonly SessionEntry[],
  subagent?: string,
): void {
  const lines = subagent === undefined ? main : (subagents.get(subagent) ?? []);
  if (subagent !== undefined) subagents.set(subagent, lines);
  for (const entry of entries) lines.push(entry);
}

export function joinSegments(...segments: readonly SessionSegment[]): SessionSegment {
  const joined = createSegment();
  for (const { main, subagents } of segments) {
    addEntries(joined, main);
    for (const [path, entries] of subagents) addEntries(joined, entries, path);
  }
  return joined;
}

export function allEntries({ main, subagents }: SessionSegment): readonly SessionEntry[] {
  return [...main, ...[...subagents.values()].flat()];
}

/** The message of a line that is one: what was said by whom. */
export interface SessionMessage {
  readonly role: "user" | "assistant";
  readonly content: readonly SessionBlock[];
  readonly timestamp?: string;
  readonly uuid?: string;
  /** The API's id of a response; several lines may share it. */
  readonly id?: string;
  readonly model?: string;
  /** The path of the sub-agent that it belongs to; none in the main conversation. */
  readonly subagent?: string;
  readonly raw: SessionEntry;
}

/** One block of a message; those of other types are kept too. */
export interface SessionBlock {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** The messages of a segment, in the order of its lines; sub-agents' come after the main conversation's. */
export function messagesOf(segment: SessionSegment): readonly SessionMessage[] {
  return [
    ...segment.main.flatMap((entry) => toMessage(entry)),
    ...[...segment.subagents].flatMap(([path, entries]) => entries.flatMap((entry) => toMessage(entry, path))),
  ];
}

function toMessage(entry: SessionEntry, subagent?: string): readonly SessionMessage[] {
  if (entry.type !== "user" && entry.type !== "assistant") return [];
  const message = entry["message"] as { readonly content?: unknown; readonly id?: unknown; readonly model?: unknown };
  if (typeof message !== "object" || message === null) return [];
  const { timestamp, uuid } = entry;
  const id = typeof message.id === "string" ? message.id : undefined;
  const model = typeof message.model === "string" ? message.model : undefined;
  const about = defined({ timestamp, uuid, id, model, subagent });
  return [{ role: entry.type, content: toBlocks(message.content), ...about, raw: entry }];
}

function toBlocks(content: unknown): readonly SessionBlock[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return Array.isArray(content) ? (content as SessionBlock[]) : [];
}
