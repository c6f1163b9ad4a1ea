import { PRICE_TABLE, type PriceTable } from "../../core/index.ts";
import { createPricer, type Pricer } from "./cost-of.ts";
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
  /** Whose prices the money is reckoned with. */
  readonly prices: { readonly date: string; readonly source: string };
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

/** Counts every response once, however many records and files repeat it. */
export interface UsageCounter {
  /** Takes what a record of a file states. */
  add(line: UsageLine, path: string): void;
  /** What was counted so far. */
  messages(): readonly CountedMessage[];
  report(): UsageReport;
}

/** Makes a counter: of a file the last record of a message id counts, of several files the one that counted more. */
export function createUsageCounter(options: CountOptions = {}): UsageCounter {
  const prices = options.prices ?? PRICE_TABLE;
  const costOf = createPricer(prices);
  const dayOf = createDayNamer(options.timeZone);
  const share = createSharer();
  const counted = new Map<string, CountedMessage>();
  const messages = (): readonly CountedMessage[] => [...counted.values()];
  const toCounted = (line: UsageLine, path: string): CountedMessage => {
    const model = share(line.model) ?? line.model;
    return {
      messageId: line.messageId,
      model,
      usage: line.usage,
      costUsd: line.recordedCostUsd ?? costOf(model, line),
      isFinal: line.isFinal,
      isMessage: true,
      sessionId: share(line.sessionId),
      agentId: share(line.agentId),
      project: share(line.cwd),
      day: dayOf(line.timestamp),
      path,
      advisors: line.advisors.length === 0 ? NO_PARTS : toAdvisorParts(line, costOf),
    };
  };
  return {
    add(line, path) {
      const before = counted.get(line.messageId);
      if (before !== undefined && before.path !== path && !saysMore(line, before)) return;
      const now = toCounted(line, path);
      counted.set(line.messageId, before === undefined ? now : succeed(before, now));
    },
    messages,
    report: () => toReport(messages(), prices),
  };
}

function saysMore(line: UsageLine, before: CountedMessage): boolean {
  const [now, then] = [line.usage.outputTokens, before.usage.outputTokens];
  return now > then || (now === then && line.isFinal && !before.isFinal);
}

/** The later record has the counts; where the message belongs was settled by the first. */
function succeed(before: CountedMessage, now: CountedMessage): CountedMessage {
  return {
    messageId: now.messageId,
    model: now.model,
    usage: now.usage,
    costUsd: now.costUsd,
    isFinal: before.isFinal || now.isFinal,
    isMessage: true,
    sessionId: before.sessionId ?? now.sessionId,
    agentId: before.agentId ?? now.agentId,
    project: before.project ?? now.project,
    day: before.day ?? now.day,
    path: now.path,
    advisors: now.advisors,
  };
}

const NO_PARTS: readonly CountedUsage[] = [];

function toAdvisorParts({ advisors, isUsOnly }: UsageLine, costOf: Pricer): readonly CountedUsage[] {
  return advisors.map(({ model, usage }) => {
    const costUsd = costOf(model, { usage, isFast: false, isUsOnly });
    return { model, usage, costUsd, isFinal: true, isMessage: false };
  });
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
