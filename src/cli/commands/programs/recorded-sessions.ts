import { z } from "zod";
import { systemClock, isoTime, SkeinError, toSkeinError } from "../../../core/index.ts";
import {
  listConversations,
  TraceIndex,
  readConversation,
  type FoundConversation,
  findBySession,
} from "../../../trace/index.ts";
import { defineCommand } from "../../define-command.ts";
import { formatUsd, formatCount } from "../../format-amounts.ts";
import { formatAge, formatMoment } from "../../format-time.ts";
import { cwdFlag, openWorkspace } from "../../open-workspace.ts";
import { plainLine } from "../../plain-text.ts";
import { SessionData, toSessionData, countMessages, sessionIdArgument } from "./session-data.ts";
import { detailRows } from "../../detail-rows.ts";
import type { Workspace } from "../../../workspace/index.ts";
import { limitFlag } from "../../common-flags.ts";

export const listSessions = defineCommand({
  name: "list-sessions",
  summary: "List the recorded sessions, newest first",
  effects: { changes: "nothing", isRepeatable: true, reaches: "workspace" },
  args: z.object({
    cwd: cwdFlag,
    limit: limitFlag(100),
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

const TurnOfSession = z.strictObject({
  state_id: z.string(),
  prompt: z.string(),
  response: z.string(),
  recorded_at: z.string(),
  outcome: z.string(),
  stop_reason: z.string().nullable(),
  cost_usd: z.number(),
});

export const loadSession = defineCommand({
  name: "load-session",
  summary: "Load a whole recorded session",
  effects: { changes: "nothing", isRepeatable: true, reaches: "workspace" },
  args: z.object({ sessionId: sessionIdArgument, cwd: cwdFlag }),
  positional: ["sessionId"],
  data: SessionData.extend({
    cwd: z.string(),
    loaded: z.literal(true),
    state_id: z.string(),
    /** Messages of its transcript, those before a fork and those of sub-agents too. */
    messages_count: z.int(),
    turns: z.array(TurnOfSession),
  }),
  examples: ["load-session 01a1e04e-6a1c-7591-8015-e683b9dae774 --output-format json"],
  async run({ sessionId, cwd }, context) {
    await using workspace = await openWorkspace(cwd, context);
    const { conversation, session } = await readConversation(workspace, sessionId);
    return {
      ...toSessionData(conversation),
      cwd: workspace.path,
      loaded: true as const,
      state_id: conversation.tip,
      messages_count: countMessages(session),
      turns: turnsOf(conversation),
    };
  },
  format(session, { terminal }) {
    const { yellow, dim, bold } = terminal.colors;
    const rows = detailRows(
      [
        ["Began", formatMoment(Date.parse(session.created_at))],
        ["Last", formatMoment(Date.parse(session.updated_at))],
        ["Tokens", `${formatCount(session.input_tokens)} in, ${formatCount(session.output_tokens)} out`],
        ["Cost", formatUsd(session.cost_usd)],
        ["Session", ...session.claude_session_ids],
      ],
      terminal,
    );
    const turns = session.turns.map(
      ({ state_id: id, prompt, outcome }) =>
        `  ${yellow(id.slice(0, 12))}  ${dim(outcome.padEnd(11))}  ${plainLine(prompt)}\n`,
    );
    return `${bold(plainLine(session.title))}\n\n${rows}\n${turns.join("")}`;
  },
});

function turnsOf({ states }: FoundConversation): z.infer<typeof TurnOfSession>[] {
  return states.flatMap(({ id, recordedAtMs, turn }) =>
    turn
      ? {
          state_id: id,
          prompt: turn.prompt,
          response: turn.response,
          recorded_at: isoTime(recordedAtMs),
          outcome: turn.outcome,
          stop_reason: turn.stopReason ?? null,
          cost_usd: turn.costUsd,
        }
      : [],
  );
}

export const deleteSession = defineCommand({
  name: "delete-session",
  summary: "Forget a recorded session",
  effects: { changes: "replaces", isRepeatable: true, reaches: "workspace" },
  args: z.object({ sessionId: sessionIdArgument, cwd: cwdFlag }),
  positional: ["sessionId"],
  data: z.strictObject({
    session_id: z.string(),
    cwd: z.string(),
    deleted: z.boolean(),
    status: z.enum(["deleted", "not_found"]),
  }),
  examples: ["delete-session 01a1e04e-6a1c-7591-8015-e683b9dae774"],
  async run({ sessionId, cwd }, context) {
    await using workspace = await openWorkspace(cwd, context);
    const found = await idOf(workspace, sessionId);
    const deleted = found !== undefined && (await remove(workspace, found));
    const status = deleted ? ("deleted" as const) : ("not_found" as const);
    return { session_id: found ?? sessionId, cwd: workspace.path, deleted, status };
  },
  format: ({ session_id: id, status }) =>
    status === "deleted" ? `Deleted ${id}\n` : `There was no session ${plainLine(id)}\n`,
});

/** The conversation's own id. One that is damaged has it too: it is not read before it is forgotten. */
async function idOf(workspace: Workspace, id: string): Promise<string | undefined> {
  try {
    if ((await workspace.states.conversations()).has(id)) return id;
    await using index = await TraceIndex.open(workspace);
    return (await findBySession(index, id)).id;
  } catch (error) {
    if (error instanceof SkeinError && error.kind === "session_not_found") return undefined;
    throw error;
  }
}

async function remove({ states }: Workspace, id: string): Promise<boolean> {
  try {
    return await states.removeConversation(id);
  } catch (cause) {
    throw new SkeinError(`The session ${id} could not be deleted: ${toSkeinError(cause).message}`, {
      kind: "session_delete_failed",
      target: id,
      retryable: true,
      hint: "Nothing was changed. Check that the store is writable and that no turn is running in the session.",
      cause,
    });
  }
}
