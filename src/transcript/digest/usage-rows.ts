import { offlineName, scenarioOfMessage } from "../../core/internal.ts";
import type { TokenUsage, UsageLine } from "../usage/usage-line.ts";
import { type Columns, createRows, rowsOf } from "./columns.ts";
import { IS_ADVISOR, IS_FAST, IS_FINAL, IS_OFFLINE, IS_US_ONLY, USAGE } from "./file-digest.ts";
import { createIdTable, type IdHash } from "./id-table.ts";

type UsageColumns = Columns<typeof USAGE>;
type UsageRow = Readonly<Record<keyof typeof USAGE, number>>;
const NAMES = Object.keys(USAGE) as (keyof typeof USAGE)[];

/** The usage of a file's responses: of each the last record counts, but its time is the first one's. */
export function createUsageRows(numberOf: (name: string) => number, before?: UsageColumns, expected?: number) {
  const rows = createRows(USAGE, undefined, expected);
  /** Rows of advisors by the row of their response. */
  const advisors = new Map<number, readonly UsageRow[]>();
  const ids = createIdTable(expected);
  const put = (index: number, row: UsageRow): void => {
    for (const name of NAMES) rows.columns[name][index] = row[name];
  };
  for (const row of readRows(before)) {
    if ((row.flags & IS_ADVISOR) !== 0) {
      advisors.set(rows.length - 1, [...(advisors.get(rows.length - 1) ?? []), row]);
    } else {
      ids.add(row.messageLow, row.messageHigh);
      put(rows.next(), row);
    }
  }
  return {
    add(line: UsageLine, id: Readonly<IdHash>, timestampMs: number): void {
      const { size } = ids;
      const index = ids.add(id.low, id.high);
      const isNew = index === size;
      if (isNew) rows.next();
      const { columns } = rows;
      const wasFinal = isNew ? 0 : (columns.flags[index] as number) & IS_FINAL;
      const firstMs = isNew ? Number.NaN : (columns.timestampMs[index] as number);
      const flags = wasFinal | (line.isFinal ? IS_FINAL : 0) | (line.isFast ? IS_FAST : 0) | flagsOf(line);
      putUsage(columns, index, line.usage);
      columns.messageLow[index] = id.low;
      columns.messageHigh[index] = id.high;
      columns.model[index] = numberOf(line.model);
      columns.answeredBy[index] = numberOf(answeredBy(line, line.model));
      columns.recordedCostUsd[index] = line.recordedCostUsd ?? Number.NaN;
      columns.timestampMs[index] = Number.isNaN(firstMs) ? timestampMs : firstMs;
      columns.flags[index] = flags;
      if (line.advisors.length > 0) {
        advisors.set(index, advisorRows({ line, id, timestampMs, numberOf }));
      } else if (advisors.size > 0) advisors.delete(index);
    },
    finish(): UsageColumns {
      if (advisors.size === 0) return rows.finish();
      const whole = createRows(USAGE);
      for (const [index, row] of readRows(rows.finish()).entries()) {
        for (const each of [row, ...(advisors.get(index) ?? [])]) {
          const at = whole.next();
          for (const name of NAMES) whole.columns[name][at] = each[name];
        }
      }
      return whole.finish();
    },
  };
}

interface RowSource {
  readonly line: UsageLine;
  readonly id: Readonly<IdHash>;
  readonly timestampMs: number;
  readonly numberOf: (name: string) => number;
}

/** Field by field: a hundred thousand objects would take longer to make than all else. */
function putUsage(columns: UsageColumns, index: number, usage: TokenUsage): void {
  columns.inputTokens[index] = usage.inputTokens;
  columns.outputTokens[index] = usage.outputTokens;
  columns.cacheReadTokens[index] = usage.cacheReadTokens;
  columns.cacheWrite5mTokens[index] = usage.cacheWrite5mTokens;
  columns.cacheWrite1hTokens[index] = usage.cacheWrite1hTokens;
  columns.webSearches[index] = usage.webSearches;
}

function flagsOf({ messageId, isUsOnly }: UsageLine): number {
  return (scenarioOfMessage(messageId) === undefined ? 0 : IS_OFFLINE) | (isUsOnly ? IS_US_ONLY : 0);
}

function answeredBy({ messageId }: UsageLine, model: string): string {
  const scenario = scenarioOfMessage(messageId);
  return scenario === undefined ? model : offlineName(scenario);
}

function advisorRows({ line, id, timestampMs, numberOf }: RowSource): readonly UsageRow[] {
  return line.advisors.map(({ model, usage }) => ({
    messageLow: id.low,
    messageHigh: id.high,
    model: numberOf(model),
    answeredBy: numberOf(answeredBy(line, model)),
    inputTokens: usage.inputTokens,
    outputTokens: usage.outputTokens,
    cacheReadTokens: usage.cacheReadTokens,
    cacheWrite5mTokens: usage.cacheWrite5mTokens,
    cacheWrite1hTokens: usage.cacheWrite1hTokens,
    webSearches: usage.webSearches,
    recordedCostUsd: Number.NaN,
    timestampMs,
    flags: IS_ADVISOR | IS_FINAL | flagsOf(line),
  }));
}

function readRows(columns: UsageColumns | undefined): readonly UsageRow[] {
  if (columns === undefined) return [];
  return Array.from({ length: rowsOf(columns) }, (_, row) => {
    return Object.fromEntries(NAMES.map((name) => [name, columns[name][row]])) as UsageRow;
  });
}
