import { z } from "zod";
import {
  defined,
  emptyRecord,
  type JournalLine,
  ownValue,
  RUN_KIND,
  RUN_KINDS,
  type RunStart,
} from "../../core/internal.ts";
import { asData } from "../../protocol/index.ts";

/** What becomes of a run: it goes on, it came to its end, or its process was killed before it did. */
export const RUN_STATES = ["running", "ended", "interrupted"] as const;

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
  /** The state after the turn. */
  readonly stateId?: string;
  /** How often each tool was called, and how often that failed or was denied. */
  readonly tools: Readonly<Record<string, { readonly calls: number; readonly errors: number }>>;
  /** What the turn came to. */
  readonly result?: RunResult;
}

export const RunData = z.strictObject({
  run: z.string().describe("The run's id; of a turn it is the transition's"),
  kind: z.enum(RUN_KINDS).describe(RUN_KIND),
  state: z
    .enum(RUN_STATES)
    .describe("Whether it goes on, came to its end, or was cut off because its process was killed"),
  workspace: z.string().describe("The workspace's path"),
  directory: z.string().describe("The directory that the agent works in: another one on a branch"),
  process_id: z.int().describe("The process that runs it, or ran it"),
  started_at: z.string().describe("When it began, ISO 8601"),
  updated_at: z.string().describe("When something last happened in it, ISO 8601"),
  lines: z.int().describe("How many lines its journal has: the number of its last event"),
  conversation_id: z.string().nullable().describe("The conversation of the turn; null of others"),
  turn: z.int().nullable().describe("The turn's number in its session, from 1; null of others"),
  before_state_id: z.string().nullable().describe("The state that the turn begins from; null of others"),
  prompt: z.string().nullable().describe("The turn's prompt; null of others"),
  strategy: z.string().nullable().describe("How a search chooses what to try next; null of others"),
  program: z.string().nullable().describe("What a program calls itself; null of others"),
  model: z.string().nullable().describe("The model that is to answer; null where it is not known yet"),
  session_id: z.string().nullable().describe("The Claude Code session; null where it is not known yet"),
  tool: z.string().nullable().describe("The tool that is being called; null where none is"),
  is_error: z.boolean().nullable().describe("Whether the turn failed; null where it has not ended, and of a search"),
  error_kind: z.string().nullable().describe("The kind of the error that ended the turn; null where there was none"),
  cost_usd: z.number().nullable().describe("What it cost, in US dollars; null where that is not known yet"),
  offline: z
    .boolean()
    .nullable()
    .describe("Whether the offline model answered, so that nobody paid; null where that is not known yet"),
  state_id: z.string().nullable().describe("The state after the turn; null where there is none yet"),
});

export type RunData = z.infer<typeof RunData>;

export function toRunData(run: RunSummary): RunData {
  const state = run.hasEnded ? ("ended" as const) : run.isCutOff ? ("interrupted" as const) : ("running" as const);
  return asData(RunData, { ...run, state, processId: run.process.pid, tool: run.tool || undefined });
}

export function beginSummary(line: RunStart): RunSummary {
  const { type: _type, version: _version, timestamp, ...start } = line;
  const begun = { startedAt: timestamp, updatedAt: timestamp, lines: 1, tools: emptyRecord<never>() };
  return { ...start, ...begun, hasEnded: false, isCutOff: false };
}

/** What a line adds to what is known of its run. */
export function addLine(run: RunSummary, line: JournalLine): RunSummary {
  const grown = { ...run, lines: run.lines + 1, updatedAt: line.timestamp };
  return { ...grown, ...defined(toldBy(line as Readonly<Record<string, unknown>>, run)) };
}

function toldBy(line: Readonly<Record<string, unknown>>, { tool, tools }: RunSummary): Partial<RunSummary> {
  const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);
  switch (line["type"]) {
    case "turn-start":
      return defined({ model: text(line["model"]), sessionId: text(line["sessionId"]) });
    case "tool-start":
      return defined({ tool: text(line["tool"]) });
    case "tool-end":
      return { ...(tool === undefined ? {} : { tool: "" }), tools: countCall(tools, line) };
    case "turn-end":
      return { tool: "", ...toldByResult(line["result"]) };
    case "state-recorded":
      return defined({ stateId: text(line["stateId"]) });
    case "search-end":
      return typeof line["costUsd"] === "number" ? { costUsd: line["costUsd"] } : {};
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
