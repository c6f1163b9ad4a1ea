import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { z } from "zod";
import {
  formatJsonl,
  inputTokensOf,
  isoTime,
  PRIVATE_FILE,
  SkeinError,
  systemClock,
  toSkeinError,
} from "../../../core/internal.ts";
import { asData } from "../../../protocol/index.ts";
import {
  findBySession,
  forgetEvents,
  listConversations,
  readConversation,
  TraceIndex,
  type FoundConversation,
  type SessionSegment,
} from "../../../trace/internal.ts";
import type { Workspace } from "../../../workspace/internal.ts";
import { argument, includeOfflineFlag, limitFlag, switchFlag, textFlag } from "../../common-flags.ts";
import { shortId } from "../../states/short-id.ts";
import { costFields, paidText, sumCosts, toCostData } from "../../turn/paid-cost.ts";
import { putFile, REPLACE } from "../../put-file.ts";
import { defineCommand } from "../../define-command.ts";
import {
  formatCard,
  formatCount,
  formatMoment,
  formatTable,
  formatUsdColumn,
  formatWhen,
  plainLine,
  promptLine,
} from "../../../terminal/index.ts";
import { cwdFlag, openRecorded } from "../../open-workspace.ts";

const sessionIdArgument = argument("The id from list-sessions, or Claude Code's own");

const SessionData = z.strictObject({
  session_id: z.string().describe("The conversation's id, which the other commands take"),
  claude_session_ids: z
    .array(z.string())
    .describe("The ids of the Claude Code sessions that it went through, the last one last"),
  title: z.string().describe("Its first prompt, in one line"),
  created_at: z.string().describe("When its first state was recorded, ISO 8601"),
  updated_at: z.string().describe("When its last state was recorded, ISO 8601"),
  prompt_count: z.int().describe("How many turns it has"),
  input_tokens: z.int().describe("All tokens that were read, from the cache or not"),
  output_tokens: z.int().describe("Tokens that were written"),
  ...costFields,
  outcome: z
    .string()
    .nullable()
    .describe(
      "How its last turn ended: `completed`, `failed`, `cancelled`, `interrupted`; null before the first, `unreadable` where no state can be read",
    ),
  stop_reason: z.string().nullable().describe("The model's own last word; null where none is known"),
});
type SessionData = z.infer<typeof SessionData>;

function countMessages({ main, subagents }: SessionSegment): number {
  const entries = [main, ...subagents.values()].flat();
  return entries.filter(({ type }) => type === "user" || type === "assistant").length;
}

function toSessionData({ id, states }: FoundConversation, includeOffline = false): SessionData {
  const turns = states.flatMap(({ turn }) => turn ?? []);
  const sum = (count: (turn: (typeof turns)[number]) => number): number =>
    turns.reduce((all, turn) => all + count(turn), 0);
  return {
    session_id: id,
    claude_session_ids: [...new Set(turns.map(({ sessionId }) => sessionId).filter((own) => own !== ""))],
    title: turns[0]?.prompt.trim().split("\n")[0] ?? "",
    created_at: isoTime(states[0]?.recordedAtMs ?? 0),
    updated_at: isoTime(states.at(-1)?.recordedAtMs ?? 0),
    prompt_count: turns.length,
    input_tokens: sum(inputTokensOf),
    output_tokens: sum(({ outputTokens }) => outputTokens),
    ...toCostData(sumCosts(turns), includeOffline),
    outcome: states.some(({ kind }) => kind !== "unreadable") ? (turns.at(-1)?.outcome ?? null) : "unreadable",
    stop_reason: turns.at(-1)?.stopReason ?? null,
  };
}

export const listSessions = defineCommand({
  name: "list-sessions",
  summary: "List the recorded sessions, newest first",
  effects: { changes: "nothing", isRepeatable: true, reaches: "workspace" },
  args: z.object({
    cwd: cwdFlag,
    limit: limitFlag(100),
    includeOffline: includeOfflineFlag,
  }),
  data: z.strictObject({
    cwd: z.string().describe("The workspace"),
    sessions: z.array(SessionData).describe("The recorded conversations, newest first"),
    count: z.int().describe("How many are listed"),
  }),
  examples: ["list-sessions", "list-sessions --cwd ./my-project --output-format json"],
  async run({ cwd, limit, includeOffline }, context) {
    await using workspace = await openRecorded(cwd, context);
    await using index = await TraceIndex.open(workspace);
    const { conversations, count } = await listConversations(index, limit);
    return { cwd: workspace.path, sessions: conversations.map((found) => toSessionData(found, includeOffline)), count };
  },
  format({ sessions, count }, { terminal }) {
    if (count === 0) return "(no sessions)\n";
    const { dim, yellow } = terminal.colors;
    const isOffline = (costs: (typeof sessions)[number]): boolean => costs.cost_usd === 0 && costs.offline_cost_usd > 0;
    const costs = formatUsdColumn(sessions.map((each) => (isOffline(each) ? null : each.cost_usd)));
    const rows = sessions.map((each, index) => [
      yellow(each.session_id),
      dim(formatWhen(Date.parse(each.updated_at), systemClock.now(), terminal)),
      formatCount(each.prompt_count),
      isOffline(each) ? "offline" : (costs[index] ?? ""),
      plainLine(each.title),
    ]);
    const columns = [
      { name: "Session" },
      { name: "When", align: "right", narrow: "drop" },
      { name: "Turns", align: "right", narrow: "drop" },
      { name: "Cost", align: "right", narrow: "drop" },
      { name: "Title", narrow: "cut" },
    ] as const;
    const rest = count > sessions.length ? `\n  ${dim(`${count - sessions.length} more: --limit shows them`)}\n` : "";
    return `${formatTable({ columns, rows }, terminal)}${rest}`;
  },
});

const TurnOfSession = z.strictObject({
  state_id: z.string().describe("The state after the turn"),
  prompt: z.string().describe("The turn's prompt"),
  response: z.string().describe("The agent's last answer"),
  recorded_at: z.string().describe("When the state was recorded, ISO 8601"),
  outcome: z.string().describe("How the turn ended"),
  stop_reason: z.string().nullable().describe("The model's own last word; null where none is known"),
  cost_usd: z.number().describe("What the turn cost, in US dollars; of an offline turn what the price list says"),
});

export const loadSession = defineCommand({
  name: "load-session",
  summary: "Load a whole recorded session",
  effects: { changes: "nothing", isRepeatable: true, reaches: "workspace" },
  args: z.object({ sessionId: sessionIdArgument, cwd: cwdFlag }),
  positional: ["sessionId"],
  data: SessionData.extend({
    cwd: z.string().describe("The workspace"),
    loaded: z.literal(true).describe("Always true: a session that cannot be loaded is an error"),
    state_id: z.string().describe("The last state of the conversation"),
    messages_count: z.int().describe("Messages of its transcript, those before a fork and those of sub-agents too"),
    turns: z.array(TurnOfSession).describe("Its turns, oldest first"),
  }),
  examples: ["load-session 01a1e04e-6a1c-7591-8015-e683b9dae774 --output-format json"],
  async run({ sessionId, cwd }, context) {
    await using workspace = await openRecorded(cwd, context);
    const { conversation, session } = await readConversation(workspace, sessionId);
    return {
      ...toSessionData(conversation),
      cwd: workspace.path,
      loaded: true as const,
      state_id: conversation.tip,
      messages_count: countMessages(session),
      turns: conversation.states.flatMap(({ id, recordedAtMs, turn }) =>
        turn ? asData(TurnOfSession, { ...turn, stateId: id, recordedAt: isoTime(recordedAtMs) }) : [],
      ),
    };
  },
  format(session, { terminal }) {
    const { yellow, dim, bold } = terminal.colors;
    const rows = formatCard(
      [
        ["Began", formatMoment(Date.parse(session.created_at))],
        ["Last", formatMoment(Date.parse(session.updated_at))],
        ["Tokens", `${formatCount(session.input_tokens)} in, ${formatCount(session.output_tokens)} out`],
        ["Cost", paidText(session)],
        ["Session", ...session.claude_session_ids],
      ],
      terminal,
    );
    const columns = [{ name: "State" }, { name: "Outcome" }, { name: "Prompt", narrow: "cut" }] as const;
    const turns = formatTable(
      {
        columns,
        rows: session.turns.map(({ state_id: id, prompt, outcome }) => [
          yellow(shortId(id)),
          dim(outcome),
          promptLine(prompt),
        ]),
      },
      terminal,
    );
    return `${bold(plainLine(session.title))}\n\n${rows}\n${session.turns.length === 0 ? "" : turns}`;
  },
});

export const deleteSession = defineCommand({
  name: "delete-session",
  summary: "Forget a recorded session",
  effects: { changes: "replaces", isRepeatable: true, reaches: "workspace" },
  args: z.object({ sessionId: sessionIdArgument, cwd: cwdFlag }),
  positional: ["sessionId"],
  data: z.strictObject({
    session_id: z
      .string()
      .describe("The conversation's id; the id that was asked for where there was no such conversation"),
    cwd: z.string().describe("The workspace"),
    deleted: z.boolean().describe("Whether it was there and is gone"),
    status: z.enum(["deleted", "not_found"]).describe("The same in a word"),
  }),
  examples: ["delete-session 01a1e04e-6a1c-7591-8015-e683b9dae774"],
  async run({ sessionId, cwd }, context) {
    await using workspace = await openRecorded(cwd, context);
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

async function remove(workspace: Workspace, id: string): Promise<boolean> {
  try {
    await forgetEvents(workspace, id);
    return await workspace.states.removeConversation(id);
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

export const flushTranscript = defineCommand({
  name: "flush-transcript",
  summary: "Write a recorded session's transcript",
  effects: { changes: "replaces", isRepeatable: true, reaches: "machine" },
  args: z.object({
    sessionId: sessionIdArgument,
    cwd: cwdFlag,
    file: textFlag("path", "The file to write (default: <session>.jsonl)"),
    replace: switchFlag(REPLACE),
  }),
  positional: ["sessionId"],
  data: z.strictObject({
    session_id: z.string().describe("The conversation's id"),
    path: z.string().describe("The file that was written"),
    flushed: z.literal(true).describe("Always true: a file that cannot be written is an error"),
    lines_count: z.int().describe("Lines that were written"),
    messages_count: z
      .int()
      .describe("Messages of the whole transcript, those of sub-agents too, which are not in the file"),
    subagents_count: z.int().describe("How many sub-agents it had"),
    input_tokens: z.int().describe("All tokens that were read, from the cache or not"),
    output_tokens: z.int().describe("Tokens that were written"),
  }),
  examples: ["flush-transcript 01a1e04e-6a1c-7591-8015-e683b9dae774 --file session.jsonl"],
  async run({ sessionId, cwd, file, replace }, context) {
    await using workspace = await openRecorded(cwd, context);
    const { conversation, session } = await readConversation(workspace, sessionId);
    const path = resolve(file ?? `${conversation.id}.jsonl`);
    const text = session.main.map(formatJsonl).join("");
    // What an agent was told is for its owner's eyes.
    const make = (own: string): Promise<void> => writeFile(own, text, { flag: "wx", mode: PRIVATE_FILE });
    await putFile(path, { isReplaced: replace, make });
    const { input_tokens, output_tokens } = toSessionData(conversation);
    return {
      session_id: conversation.id,
      path,
      flushed: true as const,
      lines_count: session.main.length,
      messages_count: countMessages(session),
      subagents_count: session.subagents.size,
      input_tokens,
      output_tokens,
    };
  },
  format: ({ path, lines_count: count }) => `${plainLine(path)}\n${count} lines\n`,
});
