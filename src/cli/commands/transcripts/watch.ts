import { basename, join } from "node:path";
import { z } from "zod";
import { defined, isoTime, systemClock } from "../../../core/index.ts";
import { watchSessions } from "../../../trace/index.ts";
import { createUsageCounter, type WatchEvent } from "../../../transcript/index.ts";
import type { CommandContext } from "../../command-context.ts";
import { defineCommand } from "../../define-command.ts";
import { formatNumberOf } from "../../format-amounts.ts";
import { formatMoment } from "../../format-time.ts";
import { fitLine, plainLine } from "../../plain-text.ts";
import { homeFlag, projectFlag } from "./open-transcripts.ts";
import {
  formatNotes,
  toSkippedData,
  UnreadData,
  unreadNotes,
  costText,
  PricesData,
  tokensText,
  toUsageData,
  trustNotes,
  UsageData,
} from "./usage-data.ts";
import { countFlag } from "../../common-flags.ts";

const data = z.strictObject({
  records: z.int(),
  started_at: z.string(),
  /** Of the responses that went by, each counted once. */
  usage: UsageData,
  prices: PricesData,
  ...UnreadData.shape,
});

export const watch = defineCommand({
  name: "watch",
  summary: "Follow sessions as they are written",
  effects: { changes: "nothing", isRepeatable: true, reaches: "machine" },
  args: z.object({
    project: projectFlag,
    limit: countFlag("Stop after this many events"),
    claudeHome: homeFlag,
  }),
  data,
  streaming: "always",
  examples: ["watch", "watch --project shop --output-format stream-json"],
  async run({ project, limit = Number.POSITIVE_INFINITY, claudeHome }, context) {
    const startedAt = isoTime(systemClock.now());
    const usage = createUsageCounter();
    const unread: UnreadData = { skipped: [], broken_lines: 0 };
    let records = 0;
    const options = {
      signal: context.signal,
      ...(claudeHome === undefined ? {} : { base: join(claudeHome, "projects") }),
      ...defined({ project }),
    };
    await context.print(`${context.terminal.colors.dim("Waiting for Claude Code to write; Ctrl-C stops.")}\n`);
    for await (const event of watchSessions(options)) {
      if (event.type === "record" && event.usage !== undefined) usage.add(event.usage, event.path);
      if (event.type === "skipped") unread.skipped.push(toSkippedData(event.skipped));
      if (event.type === "broken") unread.broken_lines += 1;
      // What only counts tokens is in the sums; there is nothing of it to be shown.
      if (event.type === "record" && event.text.trim() === "" && event.tools.length === 0) continue;
      await context.emit(toEvent(event));
      await context.print(lineOf(event, context));
      records += event.type === "record" ? 1 : 0;
      if (records >= limit) break;
    }
    const { total, prices } = usage.report();
    return { records, started_at: startedAt, usage: toUsageData(total), prices: { ...prices }, ...unread };
  },
  format: formatWatched,
});

function toEvent(event: WatchEvent): Readonly<Record<string, unknown>> & { readonly type: string } {
  if (event.type === "skipped") return { type: "skipped", ...toSkippedData(event.skipped) };
  if (event.type === "broken") {
    return { type: "broken", path: event.path, offset: event.offset, length_bytes: event.lengthBytes };
  }
  const { path, sessionId, agentId, project, role, text, tools, at, usage } = event;
  const place = { path, session_id: sessionId, agent_id: agentId ?? null, project: project ?? null };
  const message = { role, text, tools, at: at ?? null, message_id: usage?.messageId ?? null };
  return { type: "record", ...place, ...message };
}

function formatWatched(found: z.infer<typeof data>, { terminal }: CommandContext): string {
  const sum = `${formatNumberOf(found.records, "record")} · ${costText(found.usage)} · ${tokensText(found.usage)} tokens`;
  const notes = [
    sum,
    ...(found.usage.responses > 0 ? trustNotes(found.usage, found.prices) : []),
    ...unreadNotes(found),
  ];
  return formatNotes(notes, terminal.colors.dim);
}

function lineOf(event: WatchEvent, { terminal }: CommandContext): string {
  const { cyan, dim, green, yellow } = terminal.colors;
  if (event.type === "skipped") return `${dim(plainLine(event.skipped.message))}\n`;
  if (event.type === "broken") return `${dim(`A broken line at byte ${event.offset} of ${plainLine(event.path)}`)}\n`;
  const { sessionId, project, role, text, tools, at } = event;
  const time = at === undefined ? "" : formatMoment(Date.parse(at)).slice(11);
  const said = plainLine([text, ...tools.map((tool) => `[${tool}]`)].filter((part) => part !== "").join(" "));
  const who = role === "user" ? cyan("user ") : green("agent");
  const place = plainLine(basename(project ?? ""));
  const rest = Math.max(20, terminal.columns - 32 - place.length);
  return `${dim(time)}  ${yellow(sessionId.slice(0, 8))}  ${place}  ${who}  ${fitLine(said, rest)}\n`;
}
