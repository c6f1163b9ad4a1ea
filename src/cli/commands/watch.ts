import { basename, join } from "node:path";
import { z } from "zod";
import { isoTime, systemClock } from "../../core/index.ts";
import { watchTranscripts, type WatchedRecord } from "../../transcript/index.ts";
import type { CommandContext } from "../command-context.ts";
import { defineCommand } from "../define-command.ts";
import { formatMoment } from "../format-time.ts";
import { fitLine, plainLine } from "../plain-text.ts";
import { homeFlag, projectFlag } from "../transcripts/open-transcripts.ts";

/** Follows everything that Claude Code writes, in all sessions. */
export const watch = defineCommand({
  name: "watch",
  summary: "Follow all of them as they are written",
  heading: "Transcripts:",
  effects: { changes: "nothing", isRepeatable: true, reaches: "machine" },
  args: z.object({
    project: projectFlag,
    limit: z.coerce.number().int().positive().optional().meta({ label: "count", description: "End after so many" }),
    claudeHome: homeFlag,
  }),
  data: z.strictObject({ records: z.int(), started_at: z.string() }),
  streaming: "always",
  examples: ["watch", "watch --project shop --output-format stream-json"],
  async run({ project, limit = Number.POSITIVE_INFINITY, claudeHome }, context) {
    const startedAt = isoTime(systemClock.now());
    let records = 0;
    const options = {
      signal: context.signal,
      ...(claudeHome === undefined ? {} : { base: join(claudeHome, "projects") }),
      ...(project === undefined ? {} : { project }),
    };
    await context.print(`${context.terminal.colors.dim("Waiting for what Claude Code writes; Ctrl-C ends.")}\n`);
    for await (const record of watchTranscripts(options)) {
      await context.emit({ type: "record", ...toEvent(record) });
      await context.print(lineOf(record, context));
      records += 1;
      if (records >= limit) break;
    }
    return { records, started_at: startedAt };
  },
});

function toEvent({ path, sessionId, project, role, text, tools, at }: WatchedRecord): object {
  return { path, session_id: sessionId, project: project ?? null, role, text, tools, at: at ?? null };
}

function lineOf({ sessionId, project, role, text, tools, at }: WatchedRecord, { terminal }: CommandContext): string {
  const { cyan, dim, green, yellow } = terminal.colors;
  const time = at === undefined ? "" : formatMoment(Date.parse(at)).slice(11);
  const said = plainLine([text, ...tools.map((tool) => `[${tool}]`)].filter((part) => part !== "").join(" "));
  const who = role === "user" ? cyan("user ") : green("agent");
  const place = plainLine(basename(project ?? ""));
  const rest = Math.max(20, terminal.columns - 32 - place.length);
  return `${dim(time)}  ${yellow(sessionId.slice(0, 8))}  ${place}  ${who}  ${fitLine(said, rest)}\n`;
}
