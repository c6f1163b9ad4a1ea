import { basename } from "node:path";
import { z } from "zod";
import { defined, isoTime, systemClock } from "../../../core/index.ts";
import type { CommandContext } from "../../command-context.ts";
import { defineCommand } from "../../define-command.ts";
import { formatAge } from "../../format-time.ts";
import { plainLine, plainText } from "../../plain-text.ts";
import { usageError } from "../../../protocol/index.ts";
import { homeFlag, momentOf, openTranscripts, projectFlag } from "./open-transcripts.ts";
import { formatNotes, toUnreadData, UnreadData, unreadNotes } from "./usage-data.ts";
import { limitFlag, textFlag, argument } from "../../common-flags.ts";

const ROLES = ["prompt", "answer", "thinking", "tool", "title"] as const;

const Hit = z.strictObject({
  session_id: z.string(),
  project: z.string().nullable(),
  session_title: z.string().nullable(),
  role: z.enum(ROLES),
  at: z.string().nullable(),
  uuid: z.string().nullable(),
  path: z.string(),
  /** Where the record stands in the file, in bytes. */
  offset: z.int(),
  rank: z.number(),
  /** A part of the text around the words; null where the file is gone and no copy was kept. */
  snippet: z.string().nullable(),
  ranges: z.array(z.tuple([z.int(), z.int()])),
});

const data = z.strictObject({
  words: z.string(),
  hits: z.array(Hit),
  has_more: z.boolean(),
  /** Whether there were so many that only the newest were ranked. */
  is_partial: z.boolean(),
  ...UnreadData.shape,
});

export const search = defineCommand({
  name: "search",
  summary: "Search the text of all sessions",
  effects: { changes: "nothing", isRepeatable: true, reaches: "machine" },
  args: z.object({
    words: argument('All of them must occur; "a phrase" and prefix* work too'),
    project: projectFlag,
    session: textFlag("id", "Only in this session"),
    role: z.enum(ROLES).optional().meta({ label: "role", description: "Only in this kind of text" }),
    since: textFlag("time", "Since this time: 2026-11-15, 3h, 7d"),
    until: textFlag("time", "Before this time"),
    limit: limitFlag(20),
    offset: z.coerce.number().int().min(0).default(0).meta({ label: "count", description: "How many to skip" }),
    claudeHome: homeFlag,
  }),
  positional: ["words"],
  data,
  examples: ['search "flaky test"', 'search "migrat*" --project shop --role prompt'],
  async run({ words, project, session, role, since, until, limit, offset, claudeHome }, context) {
    if (words.trim() === "") throw usageError("search", "There are no words to search for", { target: "words" });
    const [sinceMs, untilMs] = [momentOf("search", "--since", since), momentOf("search", "--until", until)];
    await using opened = await openTranscripts(claudeHome, context);
    const page = await opened.index.search(words, {
      limit,
      offset,
      ...defined({ project, session, role, sinceMs, untilMs }),
    });
    const hits = page.hits.map((hit): z.infer<typeof Hit> => ({
      session_id: hit.sessionId,
      project: hit.project ?? null,
      session_title: hit.sessionTitle ?? null,
      role: hit.role,
      at: hit.timestampMs === undefined ? null : isoTime(hit.timestampMs),
      uuid: hit.uuid ?? null,
      path: hit.path,
      offset: hit.offset,
      rank: hit.rank,
      snippet: hit.snippet?.text ?? null,
      ranges: (hit.snippet?.ranges ?? []).map(([start, end]): [number, number] => [start, end]),
    }));
    return { words, hits, has_more: page.hasMore, is_partial: page.isPartial, ...toUnreadData(opened.refreshed) };
  },
  format: formatHits,
});

function formatHits(found: z.infer<typeof data>, { terminal }: CommandContext): string {
  const { hits, has_more: hasMore } = found;
  const { dim, yellow, cyan } = terminal.colors;
  const unread = formatNotes(unreadNotes(found), dim);
  if (hits.length === 0) return `Nothing was found.\n${unread}`;
  const nowMs = systemClock.now();
  const blocks = hits.map((hit) => {
    const age = hit.at === null ? "" : formatAge(Date.parse(hit.at), nowMs);
    const head = `  ${yellow(hit.session_id.slice(0, 8))}  ${age.padStart(10)}  ${cyan(plainLine(basename(hit.project ?? "")))}  ${dim(hit.role)}`;
    return `${head}\n    ${markWords(hit, terminal)}\n`;
  });
  const more = hasMore ? formatNotes(["There are more: --limit or --offset shows them"], dim) : "";
  return `${blocks.join("\n")}${more + unread === "" ? "" : `\n${more}${unread}`}`;
}

/** The snippet in one line, with the words in colour. */
function markWords({ snippet, ranges }: z.infer<typeof Hit>, { colors }: CommandContext["terminal"]): string {
  if (snippet === null) return colors.dim("(the file is gone)");
  const parts: string[] = [];
  let at = 0;
  for (const [start, end] of ranges) {
    parts.push(inLine(snippet.slice(at, start)), colors.bold(colors.red(inLine(snippet.slice(start, end)))));
    at = end;
  }
  return [...parts, inLine(snippet.slice(at))].join("").trim();
}

/** A piece of a line: the spaces at its ends are the line's. */
function inLine(text: string): string {
  return plainText(text).replaceAll(/\s+/gu, " ");
}
