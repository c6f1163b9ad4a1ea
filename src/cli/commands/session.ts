import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { z } from "zod";
import { PRIVATE_FILE, SkeinError } from "../../core/index.ts";
import {
  joinSessions,
  load,
  readFirstPage,
  readLastPage,
  type IndexedSession,
  type MessagePage,
  type TranscriptIndex,
  type TranscriptMessage,
} from "../../transcript/index.ts";
import type { CommandContext } from "../command-context.ts";
import { defineCommand } from "../define-command.ts";
import { plainLine } from "../plain-text.ts";
import { IndexedSessionData, toIndexedSessionData } from "../transcripts/indexed-session-data.ts";
import { MessageData, toMessageData } from "../transcripts/message-data.ts";
import { homeFlag, openTranscripts } from "../transcripts/open-transcripts.ts";
import { renderHtml } from "../transcripts/render-html.ts";
import { renderMarkdown, renderText } from "../transcripts/render-session.ts";

const FORMATS = ["text", "md", "html", "json"] as const;
const count = z.coerce.number().int().positive().optional();
const place = z.coerce.number().int().min(0).optional();

const data = z.strictObject({
  session: IndexedSessionData,
  messages: z.array(MessageData),
  /** Where the page stands in its file; null where the whole session is shown. */
  page: z
    .strictObject({ path: z.string(), start: z.int(), end: z.int(), has_before: z.boolean(), has_after: z.boolean() })
    .nullable(),
  format: z.enum(FORMATS),
  /** The file that it was written to. */
  file: z.string().nullable(),
});

const args = z.object({
  id: z.string().meta({ description: "The session's id, or the beginning of it" }),
  format: z.enum(FORMATS).default("text").meta({ label: "format", description: "How it is rendered" }),
  first: count.meta({ label: "count", description: "Only the first messages" }),
  last: count.meta({ label: "count", description: "Only the last messages" }),
  after: place.meta({ label: "byte", description: "With --first: those after this place, the end of another page" }),
  before: place.meta({ label: "byte", description: "With --last: those before this place, the start of another page" }),
  file: z.string().optional().meta({ label: "path", description: "Write it there; nothing is replaced" }),
  claudeHome: homeFlag,
});

/** Shows a session of Claude Code's. */
export const session = defineCommand({
  name: "session",
  summary: "Show one of them, or write it as a page",
  heading: "Transcripts:",
  effects: { changes: "replaces", isRepeatable: true, reaches: "machine" },
  args,
  positional: ["id"],
  conflicts: ["first", "last"],
  data,
  examples: ["session 5b3c", "session 5b3c --last 10", "session 5b3c --format html --file session.html"],
  async run(given, context) {
    await using opened = await openTranscripts(given.claudeHome, context);
    const found = await opened.index.session(given.id);
    const { messages, page } = await readMessages(opened.index, found, given);
    const shown: Shown = {
      session: toIndexedSessionData(found),
      messages: toMessageData(messages),
      page,
      format: given.format,
      file: given.file === undefined ? null : resolve(given.file),
    };
    if (shown.file !== null) await writeNew(shown.file, render(shown, context));
    return shown;
  },
  format: (shown, context) =>
    shown.file === null
      ? render(shown, context)
      : `Written to ${context.terminal.colors.bold(plainLine(shown.file))}\n`,
});

type Shown = z.infer<typeof data>;

function render(shown: Shown, context: CommandContext): string {
  switch (shown.format) {
    case "text":
      return renderText(shown, context);
    case "md":
      return renderMarkdown(shown);
    case "html":
      return renderHtml(shown);
    case "json":
      return `${JSON.stringify({ session: shown.session, messages: shown.messages }, null, 2)}\n`;
  }
}

interface ReadMessages {
  readonly messages: readonly TranscriptMessage[];
  readonly page: Shown["page"];
}

async function readMessages(
  index: TranscriptIndex,
  found: IndexedSession,
  { first, last, after, before }: z.infer<typeof args>,
): Promise<ReadMessages> {
  const own = found.files.filter(({ isSubagent }) => !isSubagent);
  if (!found.isPurged) {
    const paths = own.filter(({ isPurged }) => !isPurged).map(({ path }) => path);
    const path = (first === undefined ? paths.at(-1) : paths[0]) ?? "";
    if (first !== undefined) return toPage(path, readFirstPage(path, first, after === undefined ? {} : { after }));
    if (last !== undefined) return toPage(path, readLastPage(path, last, before === undefined ? {} : { before }));
    return await readAll(paths);
  }
  const folder = await mkdtemp(join(tmpdir(), "skein-session-"));
  try {
    const { messages } = await readAll(await index.copyKept(found.id, folder));
    return { messages: last === undefined ? messages.slice(0, first) : messages.slice(-last), page: null };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function readAll(paths: readonly string[]): Promise<ReadMessages> {
  const transcripts = await Promise.all(paths.map((path) => load(path, { subagents: false })));
  return { messages: joinSessions(transcripts).flatMap(({ messages }) => messages), page: null };
}

function toPage(path: string, { messages, start, end, hasBefore, hasAfter }: MessagePage): ReadMessages {
  return { messages, page: { path, start, end, has_before: hasBefore, has_after: hasAfter } };
}

async function writeNew(path: string, text: string): Promise<void> {
  await writeFile(path, text, { flag: "wx", mode: PRIVATE_FILE }).catch((cause: unknown) => {
    throw new SkeinError(`The session cannot be written: ${(cause as Error).message}`, {
      kind: "filesystem",
      target: path,
      hint: "Name a file that is not there yet",
      cause,
    });
  });
}
