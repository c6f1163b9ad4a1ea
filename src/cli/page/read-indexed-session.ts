import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { load, readFirstPage, readLastPage, type IndexedSession, type MessagePage } from "../../transcript/index.ts";
import type { CommandContext } from "../command-context.ts";
import { toIndexedSessionData } from "../transcripts/indexed-session-data.ts";
import { openTranscripts, type OpenedTranscripts } from "../transcripts/open-transcripts.ts";
import { sourceOfMessages, sourceOfTranscripts, type PageSource } from "./page-source.ts";
import type { ShownSession } from "./shown-session.ts";

/** Which session is meant, and which of its messages. */
export interface WantedSession {
  readonly id: string;
  readonly first?: number | undefined;
  readonly last?: number | undefined;
  readonly after?: number | undefined;
  readonly before?: number | undefined;
  readonly claudeHome?: string | undefined;
}

/** Reads a session of the index: whole, or a page of it. */
export async function readIndexedSession(wanted: WantedSession, context: CommandContext): Promise<ShownSession> {
  await using opened = await openTranscripts(wanted.claudeHome, context);
  const found = await opened.index.session(wanted.id);
  return { session: toIndexedSessionData(found), ...(await readMessages(opened, found, wanted)) };
}

type Read = Pick<ShownSession, "source" | "page">;

async function readMessages(opened: OpenedTranscripts, found: IndexedSession, wanted: WantedSession): Promise<Read> {
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
    const source = await readAll(await opened.index.copyKept(found.id, folder));
    if (first === undefined && last === undefined) return { source, page: null };
    const messages = last === undefined ? source.messages.slice(0, first) : source.messages.slice(-last);
    return { source: sourceOfMessages(messages), page: null };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
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
