import { PRICE_TABLE, scenarioOfMessage, type PriceTable } from "../../core/internal.ts";
import { createPricer } from "./cost-of.ts";
import type { UsageLine } from "./usage-line.ts";
import { type CountedUsage, createDayNamer, groupUsage, sumUsage, type UsageTotals } from "./usage-totals.ts";

/** How usage is counted. */
export interface CountOptions {
  /** Prices other than the built-in ones. */
  readonly prices?: PriceTable;
  /** The time zone whose days are meant, such as `Europe/Paris`; the machine's unless said. */
  readonly timeZone?: string;
}

/** One response with all that it is counted by. */
export interface CountedMessage extends CountedUsage {
  readonly messageId: string;
  readonly sessionId: string | undefined;
  readonly agentId: string | undefined;
  readonly project: string | undefined;
  readonly day: string | undefined;
  readonly advisors: readonly CountedUsage[];
  /** The file that the counts come from. */
  readonly path: string;
}

/** Usage in total and in groups. A message that several files hold belongs to the first of them. */
export interface UsageReport {
  readonly prices: Pick<PriceTable, "date" | "source">;
  readonly total: UsageTotals;
  readonly byModel: Readonly<Record<string, UsageTotals>>;
  readonly byDay: Readonly<Record<string, UsageTotals>>;
  /** By the working directory that the records name. */
  readonly byProject: Readonly<Record<string, UsageTotals>>;
  readonly bySession: Readonly<Record<string, UsageTotals>>;
  /** By the id of the sub-agent; what the main conversation used is not in it. */
  readonly bySubagent: Readonly<Record<string, UsageTotals>>;
  /** Models without a price: their tokens are counted, their money is not. */
  readonly unpricedModels: readonly string[];
}

export type UsageCounter = ReturnType<typeof createUsageCounter>;

/** Counts every response once: of a file the last record of a message id counts, of several files the one that counted more. */
export function createUsageCounter(options: CountOptions = {}) {
  const prices = options.prices ?? PRICE_TABLE;
  const costOf = createPricer(prices);
  const dayOf = createDayNamer(options.timeZone);
  const share = createSharer();
  const counted = new Map<string, CountedMessage>();
  const messages = (): readonly CountedMessage[] => [...counted.values()];
  /** The later record has the counts; where the message belongs was settled by the first. */
  const toCounted = (line: UsageLine, path: string, before: CountedMessage | undefined): CountedMessage => ({
    messageId: line.messageId,
    model: share(line.model) as string,
    usage: line.usage,
    costUsd: line.recordedCostUsd ?? costOf(line.model, line),
    isFinal: line.isFinal || before?.isFinal === true,
    isMessage: true,
    isOffline: scenarioOfMessage(line.messageId) !== undefined,
    sessionId: before?.sessionId ?? share(line.sessionId),
    agentId: before?.agentId ?? share(line.agentId),
    project: before?.project ?? share(line.cwd),
    day: before?.day ?? dayOf(line.timestamp),
    path,
    advisors: line.advisors.length === 0 ? NO_PARTS : line.advisors.map((advisor) => toPart(advisor, line)),
  });
  const toPart = (
    { model, usage }: UsageLine["advisors"][number],
    { isUsOnly, messageId }: UsageLine,
  ): CountedUsage => {
    const costUsd = costOf(model, { usage, isFast: false, isUsOnly });
    return {
      model,
      usage,
      costUsd,
      isFinal: true,
      isMessage: false,
      isOffline: scenarioOfMessage(messageId) !== undefined,
    };
  };
  return {
    add(line: UsageLine, path: string): void {
      const before = counted.get(line.messageId);
      if (before !== undefined && before.path !== path && !saysMore(line, before)) return;
      counted.set(line.messageId, toCounted(line, path, before));
    },
    messages,
    report: () => toReport(messages(), prices),
  };
}

const NO_PARTS: readonly CountedUsage[] = [];

function saysMore(line: UsageLine, before: CountedMessage): boolean {
  const [now, then] = [line.usage.outputTokens, before.usage.outputTokens];
  return now > then || (now === then && line.isFinal && !before.isFinal);
}

/** Adds up counted messages; an advisor's part goes where its message goes, but to its own model. */
export function toReport(messages: readonly CountedMessage[], prices: PriceTable): UsageReport {
  const parts = messages.flatMap((message) =>
    message.advisors.length === 0 ? message : [message, ...message.advisors.map((part) => ({ ...message, ...part }))],
  );
  const byModel = groupUsage(parts, ({ model }) => model);
  return {
    prices: { date: prices.date, source: prices.source },
    total: sumUsage(parts),
    byModel,
    byDay: groupUsage(parts, ({ day }) => day),
    byProject: groupUsage(parts, ({ project }) => project),
    bySession: groupUsage(parts, ({ sessionId }) => sessionId),
    bySubagent: groupUsage(parts, ({ agentId }) => agentId),
    unpricedModels: Object.keys(byModel).filter((model) => (byModel[model]?.unpriced ?? 0) > 0),
  };
}

/** Ids and paths come on every line: kept once, a large history fits into little memory. */
function createSharer(): (text: string | undefined) => string | undefined {
  const known = new Map<string, string>();
  return (text) => {
    if (text === undefined) return undefined;
    const shared = known.get(text);
    if (shared === undefined) known.set(text, text);
    return shared ?? text;
  };
}
