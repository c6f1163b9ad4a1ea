import { basename } from "node:path";
import { z } from "zod";
import { defined, systemClock } from "../../../core/index.ts";
import type { CommandContext } from "../../command-context.ts";
import { defineCommand } from "../../define-command.ts";
import { formatNumberOf } from "../../format-amounts.ts";
import { formatAge } from "../../format-time.ts";
import { fitLine, plainLine } from "../../plain-text.ts";
import { IndexedSessionData, nameOf, toIndexedSessionData } from "./session-data.ts";
import { homeFlag, momentOf, openTranscripts, projectFlag } from "./open-transcripts.ts";
import {
  formatNotes,
  toUnreadData,
  UnreadData,
  unreadNotes,
  costText,
  PricesData,
  tokensText,
  toUsageData,
  trustNotes,
  UsageData,
} from "./usage-data.ts";
import { limitFlag, textFlag } from "../../common-flags.ts";

const data = z.strictObject({
  sessions: z.array(IndexedSessionData),
  /** How many there are, listed or not. */
  count: z.int(),
  totals: UsageData,
  prices: PricesData,
  ...UnreadData.shape,
});

export const sessions = defineCommand({
  name: "sessions",
  summary: "List Claude Code sessions with tokens and cost",
  effects: { changes: "nothing", isRepeatable: true, reaches: "machine" },
  args: z.object({
    project: projectFlag,
    since: textFlag("time", "Active since: 2026-11-15, 3h, 7d"),
    until: textFlag("time", "Active before this time"),
    model: textFlag("model", "Answered by this model; part of the name is enough"),
    tool: textFlag("tool", "Called this tool"),
    minCostUsd: z.coerce.number().min(0).optional().meta({ label: "amount", description: "Cost at least this" }),
    sort: z.enum(["recent", "started", "cost", "tokens", "messages", "duration"]).default("recent").meta({
      label: "order",
      description: "The order, largest first",
    }),
    limit: limitFlag(20),
    claudeHome: homeFlag,
  }),
  data,
  examples: [
    "sessions",
    "sessions --since 7d --sort cost",
    "sessions --project skein --tool Bash --output-format json",
  ],
  async run({ since, until, claudeHome, minCostUsd, ...wanted }, context) {
    const [sinceMs, untilMs] = [momentOf("sessions", "--since", since), momentOf("sessions", "--until", until)];
    await using opened = await openTranscripts(claudeHome, context);
    const { project, model, tool, sort, limit } = wanted;
    const page = await opened.index.sessions({
      sort,
      limit,
      ...defined({ project, model, tool, minCostUsd, sinceMs, untilMs }),
    });
    return {
      sessions: page.sessions.map(toIndexedSessionData),
      count: page.totals.sessions,
      totals: toUsageData(page.totals),
      prices: { ...page.prices },
      ...toUnreadData(opened.refreshed),
    };
  },
  format: formatSessions,
});

function formatSessions(found: z.infer<typeof data>, { terminal }: CommandContext): string {
  const { sessions: listed, count, totals, prices } = found;
  const { dim, yellow, cyan } = terminal.colors;
  if (count === 0) return `No matching sessions.\n${formatNotes(unreadNotes(found), dim)}`;
  const nowMs = systemClock.now();
  const projects = listed.map(({ project }) => plainLine(basename(project ?? "")));
  const width = Math.min(24, Math.max(...projects.map((project) => project.length)));
  const ages = listed.map(({ ended_at: at }) => (at === null ? "" : formatAge(Date.parse(at), nowMs)));
  const ageWidth = Math.max(...ages.map((age) => age.length));
  const lines = listed.map((session, index) => {
    const age = ages[index] ?? "";
    const head = `  ${yellow(session.session_id.slice(0, 8))}  ${age.padStart(ageWidth)}  ${costText(session.usage).padStart(9)}  ${tokensText(session.usage).padStart(6)}  ${cyan((projects[index] ?? "").slice(0, width).padEnd(width))}  `;
    const taken = 8 + ageWidth + 9 + 6 + width + 12;
    return `${head}${fitLine(plainLine(nameOf(session)), Math.max(10, terminal.columns - taken))}`;
  });
  const more = count > listed.length ? `, ${listed.length} shown: --limit shows more` : "";
  const sum = `${formatNumberOf(count, "session")} · ${costText(totals)} · ${tokensText(totals)} tokens${more}`;
  const notes = [...trustNotes(totals, prices), ...unreadNotes(found)];
  return `${lines.join("\n")}\n\n  ${sum}\n${formatNotes(notes, dim)}`;
}
