import type { StatsOptions, StatsRow } from "./transcript-totals.ts";
import { NO_TOKENS, type TokenUsage } from "../usage/usage-line.ts";
import { FAILED, IS_ADVISOR, IS_FINAL, IS_OFFLINE, UNANSWERED } from "../digest/file-digest.ts";
import { createIdTable, type IdTable, NOT_FOUND } from "../digest/id-table.ts";
import type { LedgerFile } from "./ledger.ts";
import { isInTime, isOfPlace } from "./session-filter.ts";
import type { TotalsView } from "./totals-view.ts";
import { createUsageSum, tokensOf, toTotals } from "./usage-sums.ts";

const TOKENS = Object.keys(NO_TOKENS) as (keyof TokenUsage)[];

/** A call, and which of how many of its response it is. */
interface Call {
  readonly row: number;
  readonly file: number;
  readonly place: number;
  readonly count: number;
}

/** What tools used: of each answer that called tools its share, in equal parts; what does not divide goes to the first calls. */
export function sumToolUsage(view: TotalsView, options: StatsOptions): readonly StatsRow[] {
  const responses = findResponses(view);
  const tools = new Map<string, ToolSum>();
  for (const call of findCalls(view)) {
    const { facts } = view.ledger.files[call.file] as LedgerFile;
    const { calls } = view.ledger;
    const startedAtMs = calls.startedAtMs[call.row] as number;
    if (!isInTime(startedAtMs, options) || !isOfPlace(view.sessionOf(call.file), options)) continue;
    const name = facts.names[calls.name[call.row] as number] ?? "";
    const found = responses.rowsOf(calls.messageLow[call.row] as number, calls.messageHigh[call.row] as number);
    const rows = found.filter((row) => isOfModel(view, responses, row, options.model));
    if (rows.length === 0 && options.model !== undefined) continue;
    const sum = tools.get(name) ?? createToolSum();
    tools.set(name, sum);
    // An answer with an advisor has several rows: the call is counted with the answer's own.
    const isCounted = rows.length === 0 || rows.some((row) => !isAdvisor(view, row));
    if (isCounted) sum.addCall(calls.outcome[call.row] as number, (calls.endedAtMs[call.row] as number) - startedAtMs);
    for (const row of rows) sum.addShare(view, row, call);
  }
  return [...tools].map(([key, sum]) => ({ key, label: undefined, ...sum.finish() }));
}

/** The calls that are no copies, in the order of their files. */
function findCalls({ ledger, copies }: TotalsView): readonly Call[] {
  const { calls, files } = ledger;
  const ids = createIdTable(calls.idLow.length);
  const members: { row: number; file: number }[][] = [];
  for (const [file, { calls: range }] of files.entries()) {
    for (let row = range.start; row < range.end; row += 1) {
      if (copies.calls[row] === 1) continue;
      const hasMessage = calls.messageLow[row] !== 0;
      const low = (hasMessage ? calls.messageLow : calls.idLow)[row] as number;
      const high = (hasMessage ? calls.messageHigh : calls.idHigh)[row] as number;
      (members[ids.add(low, high)] ??= []).push({ row, file });
    }
  }
  return members.flatMap((group) =>
    group
      .toSorted((left, right) => (calls.position[left.row] ?? 0) - (calls.position[right.row] ?? 0))
      .map((call, place) => ({ ...call, place, count: group.length })),
  );
}

interface Responses {
  /** The rows of usage of a response that are no copies, advisors' too. */
  rowsOf(low: number, high: number): readonly number[];
  answeredBy(row: number): string;
}

function findResponses({ ledger, copies }: TotalsView): Responses {
  const { usage, files } = ledger;
  const ids: IdTable = createIdTable(usage.messageLow.length);
  const rows: number[][] = [];
  const owners = new Int32Array(usage.messageLow.length);
  for (const [file, { usage: range }] of files.entries()) {
    for (let row = range.start; row < range.end; row += 1) {
      owners[row] = file;
      if (copies.usage[row] === 1) continue;
      (rows[ids.add(usage.messageLow[row] as number, usage.messageHigh[row] as number)] ??= []).push(row);
    }
  }
  return {
    rowsOf(low, high) {
      const id = low === 0 ? NOT_FOUND : ids.find(low, high);
      return id === NOT_FOUND ? [] : (rows[id] ?? []);
    },
    answeredBy: (row) => files[owners[row] as number]?.facts.names[usage.answeredBy[row] as number] ?? "",
  };
}

function isOfModel(_view: TotalsView, responses: Responses, row: number, model: string | undefined): boolean {
  return model === undefined || responses.answeredBy(row).toLowerCase().includes(model.toLowerCase());
}

function isAdvisor({ ledger }: TotalsView, row: number): boolean {
  return ((ledger.usage.flags[row] as number) & IS_ADVISOR) !== 0;
}

type ToolSum = ReturnType<typeof createToolSum>;

function createToolSum() {
  const sum = createUsageSum();
  const messages = { all: new Set<string>(), lowerBounds: new Set<string>(), unpriced: new Set<string>() };
  let [calls, errors, unanswered, totalDurationMs, timed] = [0, 0, 0, 0, 0];
  return {
    addCall(outcome: number, durationMs: number): void {
      calls += 1;
      if (outcome === FAILED) errors += 1;
      if (outcome === UNANSWERED) unanswered += 1;
      if (Number.isNaN(durationMs)) return;
      totalDurationMs += Math.max(0, durationMs);
      timed += 1;
    },
    addShare({ ledger: { usage }, costs }: TotalsView, row: number, { place, count }: Call): void {
      const tokens = tokensOf(usage, row);
      for (const name of TOKENS)
        sum.usage[name] += Math.floor(tokens[name] / count) + (place < tokens[name] % count ? 1 : 0);
      const flags = usage.flags[row] as number;
      const cost = costs[row] as number;
      const id = `${usage.messageLow[row]}:${usage.messageHigh[row]}`;
      const hasTokens = tokens.inputTokens + tokens.outputTokens + tokens.cacheReadTokens + tokens.cacheWriteTokens > 0;
      messages.all.add(id);
      if (Number.isNaN(cost)) {
        if (hasTokens) messages.unpriced.add(id);
      } else sum[(flags & IS_OFFLINE) === 0 ? "costUsd" : "offlineCostUsd"] += cost / count;
      if ((flags & (IS_ADVISOR | IS_FINAL)) === 0 && hasTokens) messages.lowerBounds.add(id);
    },
    finish() {
      sum.messages = messages.all.size;
      sum.lowerBounds = messages.lowerBounds.size;
      sum.unpriced = messages.unpriced.size;
      const averageDurationMs = timed === 0 ? undefined : totalDurationMs / timed;
      return { tool: { calls, errors, unanswered, totalDurationMs, averageDurationMs }, ...toTotals(sum) };
    },
  };
}
