import { z } from "zod";
import { systemClock } from "../../core/index.ts";
import { listConversations, TraceIndex } from "../../trace/index.ts";
import { defineCommand } from "../define-command.ts";
import { formatUsd } from "../format-amounts.ts";
import { formatAge } from "../format-time.ts";
import { cwdFlag, openWorkspace } from "../open-workspace.ts";
import { plainLine } from "../plain-text.ts";
import { SessionData, toSessionData } from "../protocol/session-data.ts";

/** Lists the recorded conversations. */
export const listSessions = defineCommand({
  name: "list-sessions",
  summary: "List the recorded sessions, newest first",
  heading: "For programs:",
  effects: { changes: "nothing", isRepeatable: true, reaches: "workspace" },
  args: z.object({
    cwd: cwdFlag,
    limit: z.coerce
      .number()
      .int()
      .positive()
      .default(100)
      .meta({ label: "count", description: "List at most this many" }),
  }),
  data: z.strictObject({
    cwd: z.string(),
    sessions: z.array(SessionData),
    /** How many there are, listed or not. */
    count: z.int(),
  }),
  examples: ["list-sessions", "list-sessions --cwd ./my_project --output-format json"],
  async run({ cwd, limit }, context) {
    await using workspace = await openWorkspace(cwd, context);
    await using index = await TraceIndex.open(workspace);
    const { conversations, count } = await listConversations(index, limit);
    return { cwd: workspace.path, sessions: conversations.map(toSessionData), count };
  },
  format({ sessions, count }, { terminal: { colors } }) {
    if (count === 0) return "(no sessions)\n";
    const lines = sessions.map(({ session_id: id, updated_at: at, prompt_count: prompts, cost_usd: cost, title }) =>
      [
        colors.yellow(id),
        formatAge(Date.parse(at), systemClock.now()).padStart(4),
        `${prompts}×`.padStart(4),
        formatUsd(cost).padStart(9),
        plainLine(title),
      ].join("  "),
    );
    const rest =
      count > sessions.length ? `\n${colors.dim(`${count - sessions.length} more: --limit shows them`)}` : "";
    return `${lines.join("\n")}${rest}\n`;
  },
});
