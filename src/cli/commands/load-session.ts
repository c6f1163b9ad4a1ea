import { z } from "zod";
import { isoTime } from "../../core/index.ts";
import { readConversation, type FoundConversation } from "../../trace/index.ts";
import { defineCommand } from "../define-command.ts";
import { detailRows } from "../detail-rows.ts";
import { formatCount, formatUsd } from "../format-amounts.ts";
import { formatMoment } from "../format-time.ts";
import { cwdFlag, openWorkspace } from "../open-workspace.ts";
import { plainLine } from "../plain-text.ts";
import { countMessages, SessionData, sessionIdArgument, toSessionData } from "../protocol/session-data.ts";

const TurnOfSession = z.strictObject({
  state_id: z.string(),
  prompt: z.string(),
  response: z.string(),
  recorded_at: z.string(),
  outcome: z.string(),
  stop_reason: z.string().nullable(),
  cost_usd: z.number(),
});

/** Loads a recorded conversation, and so proves that it can be gone on with. */
export const loadSession = defineCommand({
  name: "load-session",
  summary: "Load a whole recorded session",
  heading: "For programs:",
  effects: { changes: "nothing", isRepeatable: true, reaches: "workspace" },
  args: z.object({ sessionId: sessionIdArgument, cwd: cwdFlag }),
  positional: ["sessionId"],
  data: SessionData.extend({
    cwd: z.string(),
    loaded: z.literal(true),
    /** The state that it has come to. */
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
