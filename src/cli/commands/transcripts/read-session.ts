import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  describeTranscript,
  toIndexedSessionData,
  type IndexedSessionData,
  type PageSource,
  sourceOfMessages,
  sourceOfTranscripts,
} from "../../../page/index.ts";
import {
  load,
  readFirstPage,
  readLastPage,
  type IndexedSession,
  type MessagePage,
} from "../../../transcript/internal.ts";
import type { CommandContext } from "../../define-command.ts";
import { openTotals, type OpenedTotals } from "./open-transcripts.ts";
import { toSkeinError } from "../../../core/internal.ts";
import { findBySession, readStateFile, readTranscript, TraceIndex, type State } from "../../../trace/internal.ts";
import type { Workspace } from "../../../workspace/internal.ts";
import { findAbove, findDirectory, openRecorded } from "../../open-workspace.ts";

export interface ShownSession {
  readonly session: IndexedSessionData;
  readonly source: PageSource;
  /** Where the messages stand in their file; null where the whole session was read. */
  readonly page:
    | (Pick<MessagePage, "start" | "end"> &
        Readonly<Record<"has_before" | "has_after", boolean>> & { readonly path: string })
    | null;
}

interface WantedSession extends Partial<Readonly<Record<"first" | "last" | "after" | "before", number | undefined>>> {
  /** The id of a session or a conversation, or any name of a state: `@`, a checkpoint. */
  readonly id: string;
  readonly claudeHome?: string | undefined;
  readonly cwd?: string | undefined;
}

export async function readIndexedSession(wanted: WantedSession, context: CommandContext): Promise<ShownSession> {
  await using opened = await openTotals(wanted.claudeHome, context);
  const found = await opened.totals.session(wanted.id);
  return { session: toIndexedSessionData(found), ...(await readMessages(opened, found, wanted)) };
}

type Read = Pick<ShownSession, "source" | "page">;

async function readMessages(opened: OpenedTotals, found: IndexedSession, wanted: WantedSession): Promise<Read> {
  const { first, last, after, before } = wanted;
  const own = found.files.filter(({ isSubagent }) => !isSubagent);
  if (!found.isPurged) {
    const paths = own.filter(({ isPurged }) => !isPurged).map(({ path }) => path);
    const path = (first === undefined ? paths.at(-1) : paths[0]) ?? "";
    if (first !== undefined) return toPage(path, readFirstPage(path, first, after === undefined ? {} : { after }));
    if (last !== undefined) return toPage(path, readLastPage(path, last, before === undefined ? {} : { before }));
    return { source: await readAll(paths), page: null };
  }
  const folder = await mkdtemp(join(tmpdir(), "skein-session-"));
  try {
    return { source: partOf(await readAll(await opened.totals.copyKept(found.id, folder)), wanted), page: null };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The first messages or the last, where only these are wanted. */
function partOf(source: PageSource, { first, last }: WantedSession): PageSource {
  if (first === undefined && last === undefined) return source;
  return sourceOfMessages(last === undefined ? source.messages.slice(0, first) : source.messages.slice(-last));
}

async function readAll(paths: readonly string[]): Promise<PageSource> {
  return sourceOfTranscripts(await Promise.all(paths.map((path) => load(path))));
}

function toPage(path: string, { messages, start, end, hasBefore, hasAfter }: MessagePage): Read {
  return {
    source: sourceOfMessages(messages),
    page: { path, start, end, has_before: hasBefore, has_after: hasAfter },
  };
}

/** Reads a recorded conversation up to the state that is named; undefined where the workspace has none of this name. */
export async function readRecordedSession(
  wanted: WantedSession,
  context: CommandContext,
): Promise<ShownSession | undefined> {
  const directory = await findDirectory(wanted.cwd, context);
  if ((await findAbove(directory, context)) === undefined) return undefined;
  await using workspace = await openRecorded(directory, context);
  const state = await findState(workspace, wanted.id);
  const transcript = state && (await readTranscript(workspace.states, state));
  if (!state || !transcript) return undefined;
  const whole = sourceOfTranscripts([transcript]);
  return {
    session: describeTranscript(transcript, whole.messages, {
      session_id: state.conversationId,
      project: workspace.origin,
    }),
    source: partOf(whole, wanted),
    page: null,
  };
}

async function findState(workspace: Workspace, name: string): Promise<State | undefined> {
  const { states } = workspace;
  try {
    return await readStateFile(states, await states.resolve(name));
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  try {
    await using index = await TraceIndex.open(workspace);
    return await readStateFile(states, (await findBySession(index, name)).tip);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Whether nothing is called so; that a name means several states is worth telling. */
function isMissing(error: unknown): boolean {
  const { kind } = toSkeinError(error);
  return kind === "state_not_found" || kind === "session_not_found";
}
