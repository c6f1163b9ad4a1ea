import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { z } from "zod";
import { PRIVATE_FILE, toSkeinError } from "../../../core/internal.ts";
import { putFile, REPLACE } from "../../put-file.ts";
import { defineCommand, type CommandContext } from "../../define-command.ts";
import { cwdFlag } from "../../open-workspace.ts";
import { readIndexedSession, readRecordedSession, type ShownSession } from "./read-session.ts";
import {
  renderMarkdown,
  renderPage,
  renderText,
  toSessionPage,
  IndexedSessionData,
  MessageData,
  toMessageData,
} from "../../../page/index.ts";
import { plainLine } from "../../../terminal/index.ts";
import { homeFlag } from "./open-transcripts.ts";
import { countFlag, switchFlag, textFlag, argument } from "../../common-flags.ts";

const FORMATS = ["text", "md", "html", "json"] as const;
const place = z.coerce.number().int().min(0).optional();

const data = z.strictObject({
  session: IndexedSessionData.describe("The session as `skein sessions` lists it"),
  messages: z.array(MessageData).describe("Its messages, in the order in which they were written"),
  page: z
    .strictObject({
      path: z.string().describe("The transcript's file"),
      start: z.int().describe("Where the page begins in the file, in bytes"),
      end: z.int().describe("Where the page ends in the file, in bytes"),
      has_before: z.boolean().describe("Whether there is more before it"),
      has_after: z.boolean().describe("Whether there is more after it"),
    })
    .nullable()
    .describe("Where the page is in its file; null where the whole session is shown"),
  format: z.enum(FORMATS).describe("How the session is written"),
  file: z.string().nullable().describe("The file that it was written to; null where it was printed"),
});

const args = z.object({
  id: argument("A session id or its first characters, or a recorded conversation: its id, a checkpoint, @"),
  format: z.enum(FORMATS).default("text").meta({ label: "format", description: "The format of the page" }),
  first: countFlag("Show only this many messages from the start"),
  last: countFlag("Show only this many messages from the end"),
  after: place.meta({
    label: "byte",
    description: "With --first: start after this position, where another page ended",
  }),
  before: place.meta({
    label: "byte",
    description: "With --last: stop before this position, where another page began",
  }),
  file: textFlag("path", "Write it to this file"),
  replace: switchFlag(REPLACE),
  claudeHome: homeFlag,
  cwd: cwdFlag,
});

export const session = defineCommand({
  name: "session",
  summary: "Show a session, or write it as a page",
  effects: { changes: "replaces", isRepeatable: true, reaches: "machine" },
  args,
  positional: ["id"],
  conflicts: ["first", "last"],
  data,
  examples: ["session 5b3c --last 10", "session 5b3c --format html --file session.html", "session @ --format html"],
  async run(given, context) {
    const found = await readSession(given, context);
    const file = given.file === undefined ? null : resolve(given.file);
    const { session: told, source, page } = found;
    const shown = { session: told, messages: toMessageData(source.messages), page, format: given.format, file };
    const rendered = (): string => render(found, shown, context);
    if (file !== null) {
      const text = rendered();
      const make = (path: string): Promise<void> => writeFile(path, text, { flag: "wx", mode: PRIVATE_FILE });
      await putFile(file, { isReplaced: given.replace, make });
    }
    const written = `Written to ${context.terminal.colors.bold(plainLine(file ?? ""))}\n`;
    if (context.format === "text") await context.print(file === null ? rendered() : written);
    return shown;
  },
});

type Shown = z.infer<typeof data>;

/** A session of Claude Code's own, else a conversation that was recorded in the workspace. */
async function readSession(given: z.infer<typeof args>, context: CommandContext): Promise<ShownSession> {
  // What names a state by its place is never the id of a session.
  const recorded = given.id.startsWith("@") ? await readRecordedSession(given, context) : undefined;
  if (recorded) return recorded;
  try {
    return await readIndexedSession(given, context);
  } catch (error) {
    if (toSkeinError(error).kind !== "session_not_found") throw error;
    const other = await readRecordedSession(given, context);
    if (other) return other;
    throw error;
  }
}

function render(
  { source, page: part }: ShownSession,
  { session: shown, messages, format }: Shown,
  context: CommandContext,
): string {
  const page = toSessionPage(shown, source, part !== null);
  const renderers: Readonly<Record<Shown["format"], () => string>> = {
    text: () => renderText(page, context),
    md: () => renderMarkdown(page),
    html: () => renderPage(page),
    json: () => `${JSON.stringify({ session: shown, messages }, null, 2)}\n`,
  };
  return renderers[format]();
}
