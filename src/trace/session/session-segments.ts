import { basename, dirname, isAbsolute, join, relative, sep } from "node:path";
import { formatJsonl, SkeinError } from "../../core/internal.ts";
import type { SecretRedactor } from "../../engine/internal.ts";
import {
  parseSession,
  rawOf,
  type SessionPiece,
  type Subagent,
  type Transcript,
  type TranscriptRecord,
} from "../../transcript/internal.ts";
import type { CapturedSession, StateStore } from "../../workspace/internal.ts";
import type { State } from "../record/state.ts";
import { addEntries, createSegment, type SessionEntry, type SessionSegment } from "./session-entry.ts";

/** A segment as the files of a state: `0002.jsonl`, and `0002/<path>.jsonl` for each sub-agent. */
export function formatSegment(turn: number, segment: SessionSegment): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  if (segment.main.length > 0) files.set(`${numberOf(turn)}.jsonl`, formatEntries(segment.main));
  for (const [path, entries] of segment.subagents) {
    files.set(`${numberOf(turn)}/${path}.jsonl`, formatEntries(entries));
  }
  return files;
}

export async function readSegment(states: StateStore, state: State, turn: number): Promise<SessionSegment> {
  const segment = numberOf(turn);
  // By their paths: the folder of a long session lists thousands.
  const text = (await states.file(state.stored, `session/${segment}.jsonl`)) ?? "";
  const subagents = new Map<string, readonly SessionEntry[]>();
  for (const [name, id] of await states.folder(state.stored, `session/${segment}`)) {
    subagents.set(name.slice(0, -".jsonl".length), await readEntries(states, id, `${segment}/${name}`));
  }
  return { main: parseEntries(text, `${segment}.jsonl`), subagents };
}

export async function readSession(states: StateStore, state: State): Promise<SessionSegment> {
  const session = createSegment();
  for (const { path, id, subagent } of await listSegments(states, state)) {
    addEntries(session, await readEntries(states, id, path), subagent);
  }
  return session;
}

/** The session of a state as a transcript; undefined where it has none. */
export async function readTranscript(states: StateStore, state: State): Promise<Transcript | undefined> {
  const main: SessionPiece[] = [];
  const subagents = new Map<string, SessionPiece[]>();
  for (const { path, id, subagent } of await listSegments(states, state)) {
    const piece = { path: `session/${path}`, bytes: await states.content(id) };
    if (subagent === undefined) main.push(piece);
    else subagents.set(`${subagent}.jsonl`, [...(subagents.get(`${subagent}.jsonl`) ?? []), piece]);
  }
  if (main.length + subagents.size === 0) return undefined;
  return parseSession({ path: `${state.id}:session`, sessionId: state.sessionId ?? "", main, subagents });
}

/** The files of a state's session in the order of the turns; of a sub-agent's the path that it has in the session. */
async function listSegments(
  states: StateStore,
  { stored }: State,
): Promise<readonly { readonly path: string; readonly id: string; readonly subagent: string | undefined }[]> {
  return [...(await states.folder(stored, "session"))]
    .toSorted(([left], [right]) => Number.parseInt(left, 10) - Number.parseInt(right, 10))
    .map(([path, id]) => ({ path, id, subagent: /^\d+\/(.+)\.jsonl$/u.exec(path)?.[1] }));
}

/** Four digits, so that a listing is in order; more where they are needed. */
function numberOf(turn: number): string {
  return String(turn).padStart(4, "0");
}

export function formatEntries(entries: readonly SessionEntry[]): string {
  return entries.map((entry) => formatJsonl(entry)).join("");
}

async function readEntries(states: StateStore, id: string, path: string): Promise<readonly SessionEntry[]> {
  if (!isSegmentPath(path)) throw corrupted(path);
  return parseEntries((await states.content(id)).toString("utf8"), path);
}

function parseEntries(text: string, path: string): readonly SessionEntry[] {
  return text
    .split("\n")
    .filter(Boolean)
    .map((line) => parseEntry(line, path));
}

/** The CLI is given these paths, and makes files of them. */
function isSegmentPath(path: string): boolean {
  return /^\d{4,7}(?:\/[\w-][\w.-]*)*\.jsonl$/u.test(path) && !path.includes("..") && path.length < 400;
}

function parseEntry(line: string, path: string): SessionEntry {
  let value: SessionEntry | null;
  try {
    value = JSON.parse(line) as SessionEntry | null;
  } catch (cause) {
    throw corrupted(path, cause);
  }
  if (typeof value?.type !== "string") throw corrupted(path);
  return value;
}

function corrupted(path: string, cause?: unknown): SkeinError {
  const message = `session/${path} of a state cannot be read`;
  return new SkeinError(message, { kind: "session_corrupted", target: path, cause });
}

/** A transcript as the segment of a session: every record whole, and those of sub-agents by their path in the session. */
export function toSegment(transcript: Transcript): SessionSegment {
  const subagents = new Map<string, readonly SessionEntry[]>();
  // What is known of the others stands in the main file.
  for (const subagent of transcript.subagents) {
    if (subagent.source === "file" && subagent.path !== undefined) {
      subagents.set(pathInSession(subagent.path, transcript.path), toEntries(subagent.records, aboutOf(subagent)));
    }
  }
  return { main: toEntries(transcript.records.map(({ record }) => record)), subagents };
}

/** Lines without a type are none that any version of the CLI reads. */
function toEntries(records: readonly TranscriptRecord[], first: readonly SessionEntry[] = []): readonly SessionEntry[] {
  const raw = records.map((record) => rawOf(record) as SessionEntry);
  const entries = raw.filter(({ type }) => typeof type === "string");
  return entries.some(({ type }) => type === ABOUT) ? entries : [...first, ...entries];
}

/** What Claude Code keeps in a small file beside a sub-agent's transcript, its SDK has as a record of this type. */
const ABOUT = "agent_metadata";

function aboutOf({ agentType, description, parentToolUseId: toolUseId }: Subagent): readonly SessionEntry[] {
  const known = { agentType, description, toolUseId };
  return toolUseId === undefined ? [] : [JSON.parse(JSON.stringify({ type: ABOUT, ...known })) as SessionEntry];
}

/** The CLI has them below the session's folder; 2.0 wrote them beside it. What a state would not take for a path is written otherwise. */
function pathInSession(path: string, session: string): string {
  const name = path.slice(0, -".jsonl".length);
  const below = isAbsolute(path) ? relative(join(dirname(session), basename(session, ".jsonl")), name) : name;
  const parts = below.startsWith("..") ? ["subagents", basename(name)] : below.split(sep);
  return parts.map((part) => part.replaceAll(/[^\w.-]|\.(?=\.)|^\./gu, "-").slice(0, 100)).join("/");
}

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

function toPiece(path: string, entries: readonly SessionEntry[]): SessionPiece {
  return { path, bytes: Buffer.from(formatEntries(entries)) };
}

export function redactSegment({ main, subagents }: SessionSegment, { value }: SecretRedactor): SessionSegment {
  return { main: value(main), subagents: new Map(Array.from(subagents, ([path, entries]) => [path, value(entries)])) };
}
