import { z } from "zod";
import {
  defined,
  emptyRecord,
  type JournalLine,
  microUsd,
  ownValue,
  RUN_KIND,
  RUN_KINDS,
  type RunStart,
  sumMicroUsd,
  toUsd,
} from "../../core/internal.ts";
import { readAnswered, readAsked, type AnsweredQuestion, type OpenQuestion } from "./question-data.ts";
import { asData } from "../../protocol/index.ts";

/** What becomes of a run: it goes on, it came to its end, or its process was killed before it did. */
export const RUN_STATES = ["running", "ended", "interrupted"] as const;

/** What goes on in a run or a process. */
export const ACTIVITIES = ["starting", "working", "waiting", "idle", "dead"] as const;

type Activity = (typeof ACTIVITIES)[number];

/** A run as its journal tells it, so far. */
export interface RunSummary extends Omit<RunStart, "type" | "version" | "timestamp"> {
  readonly startedAt: string;
  /** When its last line was written. */
  readonly updatedAt: string;
  readonly lines: number;
  readonly hasEnded: boolean;
  /** Whether it has no end, and its process is gone. */
  readonly isCutOff: boolean;
  readonly model?: string;
  readonly sessionId?: string;
  /** The tool that is being called. */
  readonly tool?: string;
  readonly isError?: boolean;
  readonly errorKind?: string;
  readonly costUsd?: number;
  readonly offline?: boolean;
  /** Why a search or a team came to its end. */
  readonly stopped?: string;
  /** The state after the turn. */
  readonly stateId?: string;
  /** How often each tool was called, and how often that failed or was denied. */
  readonly tools: Readonly<Record<string, { readonly calls: number; readonly errors: number }>>;
  /** What the turn came to. */
  readonly result?: RunResult;
  /** Whether the agent, or the search, has begun to work. */
  readonly hasBegun: boolean;
  /** What people are asked, the oldest first. */
  readonly questions: readonly OpenQuestion[];
  /** Questions that are closed, the last ones. */
  readonly answered: readonly AnsweredQuestion[];
  readonly activity: Activity;
  /** Since when it does what it does. */
  readonly activitySince: string;
}

export const RunData = z.strictObject({
  run: z.string().describe("The run's id; of a turn it is the transition's"),
  kind: z.enum(RUN_KINDS).describe(RUN_KIND),
  state: z
    .enum(RUN_STATES)
    .describe("Whether it goes on, came to its end, or was cut off because its process was killed"),
  activity: z
    .enum(ACTIVITIES)
    .describe(
      "What goes on in it: it starts, works, waits for a person's answer, or is dead, that is over; a program of yours is idle",
    ),
  activity_since: z.string().describe("Since when, ISO 8601"),
  activity_limit_ms: z
    .number()
    .nullable()
    .describe(
      "After how long it is ended: without a sign of life while it starts or works, or a question denied while it waits; null where that is not limited",
    ),
  end_reason: z
    .string()
    .nullable()
    .describe(
      "Why it is over: `completed`, the kind of its error, why a search stopped, a team's outcome, `killed`; null where it goes on",
    ),
  workspace: z.string().describe("The workspace's path"),
  directory: z.string().describe("The directory that the agent works in: another one on a branch"),
  process_id: z.int().describe("The process that runs it, or ran it"),
  started_at: z.string().describe("When it began, ISO 8601"),
  updated_at: z.string().describe("When something last happened in it, ISO 8601"),
  lines: z.int().describe("How many lines its journal has: the number of its last event"),
  conversation_id: z.string().nullable().describe("The conversation of the turn; null of others"),
  turn: z.int().nullable().describe("The turn's number in its session, from 1; null of others"),
  before_state_id: z.string().nullable().describe("The state that the turn begins from; null of others"),
  prompt: z.string().nullable().describe("The turn's prompt, or the team's goal; null of others"),
  team: z.string().nullable().describe("The team's id, which stays the same when the team is resumed; null of others"),
  strategy: z.string().nullable().describe("How a search chooses what to try next; null of others"),
  program: z.string().nullable().describe("What a program calls itself; null of others"),
  model: z.string().nullable().describe("The model that is to answer; null where it is not known yet"),
  session_id: z.string().nullable().describe("The Claude Code session; null where it is not known yet"),
  tool: z.string().nullable().describe("The tool that is being called; null where none is"),
  is_error: z
    .boolean()
    .nullable()
    .describe("Whether the turn failed; null where it has not ended, and of a search or a team"),
  error_kind: z.string().nullable().describe("The kind of the error that ended the turn; null where there was none"),
  cost_usd: z.number().nullable().describe("What it cost, in US dollars; null where that is not known yet"),
  offline: z
    .boolean()
    .nullable()
    .describe("Whether the offline model answered, so that nobody paid; null where that is not known yet"),
  state_id: z
    .string()
    .nullable()
    .describe("The state after the turn, or with the team's last accepted item; null where there is none yet"),
});

export type RunData = z.infer<typeof RunData>;

export function toRunData(run: RunSummary): RunData {
  const state = run.hasEnded ? ("ended" as const) : run.isCutOff ? ("interrupted" as const) : ("running" as const);
  const told = { activityLimitMs: limitOf(run), endReason: endReasonOf(run) };
  return asData(RunData, { ...run, ...told, state, processId: run.process.pid, tool: run.tool || undefined });
}

export function beginSummary(line: RunStart): RunSummary {
  const { type: _type, version: _version, timestamp, ...start } = line;
  const nothing = {
    lines: 1,
    hasEnded: false,
    isCutOff: false,
    hasBegun: false,
    questions: [],
    answered: [],
    tools: emptyRecord<never>(),
  };
  return {
    ...start,
    ...nothing,
    startedAt: timestamp,
    updatedAt: timestamp,
    activity: start.kind === "program" ? "idle" : "starting",
    activitySince: timestamp,
  };
}

/** What is known of a run whose process is gone. */
export function cutOff(run: RunSummary, at: string): RunSummary {
  return { ...run, isCutOff: true, activity: "dead", activitySince: at };
}

/** What people are asked in a run, while it goes on. */
export function openQuestions({ hasEnded, isCutOff, questions }: RunSummary): readonly OpenQuestion[] {
  return hasEnded || isCutOff ? [] : questions;
}

/** What a line adds to what is known of its run. */
export function addLine(run: RunSummary, line: JournalLine): RunSummary {
  const grown = { ...run, lines: run.lines + 1, updatedAt: line.timestamp };
  const told = { ...grown, ...defined(toldBy(line as Readonly<Record<string, unknown>>, run)) };
  const activity = activityOf(told);
  return activity === run.activity ? told : { ...told, activity, activitySince: line.timestamp };
}

function activityOf({ kind, hasEnded, hasBegun, questions }: RunSummary): Activity {
  if (hasEnded) return "dead";
  if (kind === "program") return "idle";
  return questions.length > 0 ? "waiting" : hasBegun ? "working" : "starting";
}

function limitOf({ activity, idleLimitMs, questions: [first] }: RunSummary): number | undefined {
  if (activity !== "waiting") return activity === "dead" ? undefined : idleLimitMs;
  return first?.deadline === undefined ? undefined : Date.parse(first.deadline) - Date.parse(first.askedAt);
}

function endReasonOf({ hasEnded, isCutOff, errorKind, isError, stopped }: RunSummary): string | undefined {
  if (isCutOff) return "killed";
  if (!hasEnded) return undefined;
  return errorKind ?? stopped ?? (isError ? "runtime" : "completed");
}

/** How many closed questions are remembered. */
const MOST_ANSWERED = 100;

function toldBy(line: Readonly<Record<string, unknown>>, run: RunSummary): Partial<RunSummary> {
  const { tool, tools, questions } = run;
  const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);
  switch (line["type"]) {
    case "turn-start":
      return { hasBegun: true, ...defined({ model: text(line["model"]), sessionId: text(line["sessionId"]) }) };
    case "question-asked": {
      const asked = readAsked(line, run);
      return asked ? { questions: [...questions, asked] } : {};
    }
    case "question-answered": {
      const answered = readAnswered(line);
      if (!answered) return {};
      const left = questions.filter(({ questionId }) => questionId !== answered.questionId);
      return { questions: left, answered: [...run.answered, answered].slice(-MOST_ANSWERED) };
    }
    case "search-start":
    case "team-start":
      return { hasBegun: true };
    case "tool-start":
      return defined({ tool: text(line["tool"]) });
    case "tool-end":
      return { ...(tool === undefined ? {} : { tool: "" }), tools: countCall(tools, line) };
    case "turn-end":
      return { tool: "", ...toldByResult(line["result"]) };
    case "state-recorded":
      return defined({ stateId: text(line["stateId"]) });
    case "search-end":
      return defined({
        costUsd: typeof line["costUsd"] === "number" ? line["costUsd"] : undefined,
        stopped: text(line["stopped"]),
      });
    case "worker-finished":
    case "item-merged":
    case "team-end":
      return toldByTeam(line, run);
    case "run-end":
      return { hasEnded: true };
    default:
      return {};
  }
}

function countCall(tools: RunSummary["tools"], line: Readonly<Record<string, unknown>>): RunSummary["tools"] {
  const name = line["tool"];
  if (typeof name !== "string") return tools;
  const { calls, errors } = ownValue(tools, name) ?? { calls: 0, errors: 0 };
  const isError = line["isError"] === true || line["isDenied"] === true;
  return Object.assign(emptyRecord<RunSummary["tools"][string]>(), tools, {
    [name]: { calls: calls + 1, errors: errors + (isError ? 1 : 0) },
  });
}

const amount = z.number().nonnegative();

const Result = z.object({
  isError: z.boolean(),
  costUsd: amount,
  sessionId: z.string(),
  offline: z.boolean().optional(),
  error: z.object({ kind: z.string() }).optional(),
  model: z.string(),
  durationMs: amount,
  scenario: z.string().exactOptional(),
  isFolded: z.boolean().optional(),
  usage: z.object({
    inputTokens: amount,
    outputTokens: amount,
    cacheReadTokens: amount,
    cacheWriteTokens: amount,
  }),
});

/** What a turn came to, as far as figures need it. */
export type RunResult = Readonly<z.infer<typeof Result>>;

function toldByResult(value: unknown): Partial<RunSummary> {
  const { data } = Result.safeParse(value);
  if (!data) return {};
  const { isError, costUsd, sessionId, offline = false, error } = data;
  const told = { isError, costUsd, offline, result: data };
  return { ...told, ...defined({ sessionId: sessionId || undefined, errorKind: error?.kind }) };
}

const WorkerTurn = z.object({ costUsd: amount, offline: z.boolean(), isReused: z.boolean() });

const TeamEnd = z.object({ outcome: z.string(), costUsd: amount, offline: z.boolean() });

/** Workers' turns as they end; what everything cost, the manager's turns too, is told at the end. */
function toldByTeam(line: Readonly<Record<string, unknown>>, { costUsd = 0, offline = true }: RunSummary) {
  if (line["type"] === "item-merged") return typeof line["stateId"] === "string" ? { stateId: line["stateId"] } : {};
  if (line["type"] === "team-end") {
    const { data } = TeamEnd.safeParse(line["result"]);
    return data ? { stopped: data.outcome, costUsd: data.costUsd, offline: data.offline } : {};
  }
  const { data } = WorkerTurn.safeParse(line);
  if (!data || data.isReused) return {};
  const sum = toUsd(sumMicroUsd([microUsd(costUsd), microUsd(data.costUsd)]));
  return { costUsd: sum, offline: offline && data.offline };
}
