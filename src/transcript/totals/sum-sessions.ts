import { basename } from "node:path";
import type { IndexedToolUse } from "./transcript-totals.ts";
import { FAILED, type FileFacts, KIND_BITS, KINDS, SIDECHAIN } from "../digest/file-digest.ts";
import { createIdTable, type IdTable } from "../digest/id-table.ts";
import type { Ledger, LedgerFile } from "./ledger.ts";
import type { Copies } from "./mark-copies.ts";
import { findSummaries, type SummaryTitles } from "./summary-titles.ts";
import { addUsage, createUsageSum, type UsageSum } from "./usage-sums.ts";

/** A logical session, summed up: what was forked or resumed into other files is one session with them. */
export interface SessionSum {
  readonly id: string;
  readonly sessionIds: readonly string[];
  readonly project: string | undefined;
  readonly folder: string;
  readonly title: string | undefined;
  readonly firstPrompt: string | undefined;
  readonly startedAtMs: number | undefined;
  readonly endedAtMs: number | undefined;
  readonly prompts: number;
  readonly messages: number;
  readonly subagents: number;
  readonly tools: readonly IndexedToolUse[];
  readonly models: readonly string[];
  readonly versions: readonly string[];
  readonly sizeBytes: number;
  readonly isPurged: boolean;
  readonly usage: UsageSum;
  /** The files that make it up, by their places in the ledger. */
  readonly files: readonly number[];
}

/** Sums up the sessions of a ledger. */
export function sumSessions(ledger: Ledger, copies: Copies, costs: Float64Array): readonly SessionSum[] {
  const titles = findSummaries(ledger);
  const seen: SeenIds = { ids: createIdTable(ledger.messages.idLow.length), groups: [] };
  return copies.groups.map((group, number) => sumGroup({ ledger, copies, costs, titles, seen, group, number }));
}

/** The responses whose message was counted, and in which group last. */
interface SeenIds {
  readonly ids: IdTable;
  readonly groups: number[];
}

interface GroupOf {
  readonly ledger: Ledger;
  readonly copies: Copies;
  readonly costs: Float64Array;
  readonly titles: SummaryTitles;
  readonly seen: SeenIds;
  readonly group: readonly number[];
  readonly number: number;
}

function sumGroup(of: GroupOf): SessionSum {
  const { ledger, titles } = of;
  const group = oldestFirst(of);
  const files = group.map((file) => ledger.files[file] as LedgerFile);
  const facts = files.map((file) => file.facts);
  const own = facts.filter(({ isSubagent }) => !isSubagent);
  const [first] = own.length > 0 ? own : facts;
  const id = first?.sessionId ?? basename(first?.path ?? "", ".jsonl");
  const answers = once(() => sumAnswers(of, files));
  const messages = once(() => sumMessages(of, files));
  const tools = once(() => sumTools(of, files));
  return {
    id,
    sessionIds: [...new Set([id, ...facts.flatMap(idsOf)])],
    project: [...own, ...facts].find(({ cwd }) => cwd !== null)?.cwd ?? undefined,
    folder: first?.folder ?? "",
    title: titleOf(own) ?? titles.titleOf(group),
    firstPrompt: own.find(({ firstPrompt }) => firstPrompt !== null)?.firstPrompt ?? undefined,
    subagents: facts.length - own.length,
    versions: [...new Set(facts.flatMap(({ versions }) => versions))],
    sizeBytes: facts.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    isPurged: (own.length > 0 ? own : facts).every(({ isPurged }) => isPurged),
    files: group,
    // Not each question asks for these, and they are all rows of a session.
    get messages() {
      return messages().messages;
    },
    get prompts() {
      return messages().prompts;
    },
    get startedAtMs() {
      return messages().startedAtMs;
    },
    get endedAtMs() {
      return messages().endedAtMs;
    },
    get tools() {
      return tools();
    },
    get models() {
      return answers().models;
    },
    get usage() {
      return answers().usage;
    },
  };
}

function once<Value extends object>(make: () => Value): () => Value {
  let made: Value | undefined;
  return () => (made ??= make());
}

function sumAnswers({ ledger, copies, costs }: GroupOf, files: readonly LedgerFile[]) {
  const usage = createUsageSum();
  const models = new Set<string>();
  for (const {
    facts: { names },
    usage: range,
  } of files) {
    for (let row = range.start; row < range.end; row += 1) {
      if (copies.usage[row] === 1) continue;
      addUsage(usage, ledger.usage, row, costs[row] as number);
      models.add(names[ledger.usage.answeredBy[row] as number] ?? "");
    }
  }
  return { usage, models: [...models].toSorted() };
}

function idsOf({ sessionId, sessionIds }: FileFacts): readonly string[] {
  return sessionId === null ? sessionIds : [sessionId, ...sessionIds];
}

/** A title that someone gave counts before one that the CLI made; of several files, the newest one's. */
function titleOf(files: readonly FileFacts[]): string | undefined {
  const titled = files.filter(({ title }) => title !== null);
  return (titled.findLast(({ isTitleGiven }) => isTitleGiven) ?? titled.at(-1))?.title ?? undefined;
}

/** Copies keep the times of the original: only what a file has for itself tells when it began. A mere prefix is first. */
function oldestFirst({ ledger, copies, group }: GroupOf): readonly number[] {
  if (group.filter((file) => ledger.files[file]?.facts.isSubagent === false).length < 2) return group;
  const { timestampMs } = ledger.messages;
  const starts = new Map<number, number>();
  for (const file of group) {
    const { start, end } = (ledger.files[file] as LedgerFile).messages;
    let first = Number.POSITIVE_INFINITY;
    for (let row = start; row < end; row += 1) {
      const at = timestampMs[row] as number;
      if (copies.sharedMessages[row] === 0 && at < first) first = at;
    }
    starts.set(file, Number.isFinite(first) ? first : 0);
  }
  return group.toSorted((left, right) => (starts.get(left) ?? 0) - (starts.get(right) ?? 0));
}

const LAST_COUNTED = KINDS.indexOf("meta");
const PROMPT = KINDS.indexOf("prompt");

type MessageSums = Pick<SessionSum, "messages" | "prompts" | "startedAtMs" | "endedAtMs">;

/** Prompts, results and answers; an answer over several lines is one. */
function sumMessages({ ledger, copies, seen, number }: GroupOf, files: readonly LedgerFile[]): MessageSums {
  const { flags, idLow, idHigh, timestampMs } = ledger.messages;
  let [messages, prompts, first, last] = [0, 0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { messages: range } of files) {
    for (let row = range.start; row < range.end; row += 1) {
      const kind = (flags[row] as number) & KIND_BITS;
      if (copies.messages[row] === 1 || kind > LAST_COUNTED) continue;
      if (isNew(seen, number, idLow[row] as number, idHigh[row] as number)) messages += 1;
      if (kind === PROMPT && ((flags[row] as number) & SIDECHAIN) === 0) prompts += 1;
      const at = timestampMs[row] as number;
      if (at < first) first = at;
      if (at > last) last = at;
    }
  }
  const hasTimes = first <= last;
  return { messages, prompts, startedAtMs: hasTimes ? first : undefined, endedAtMs: hasTimes ? last : undefined };
}

function isNew({ ids, groups }: SeenIds, group: number, low: number, high: number): boolean {
  if (low === 0) return true;
  const id = ids.add(low, high);
  if (groups[id] === group) return false;
  groups[id] = group;
  return true;
}

function sumTools({ ledger, copies }: GroupOf, files: readonly LedgerFile[]): readonly IndexedToolUse[] {
  const sums = new Map<string, { calls: number; errors: number }>();
  for (const {
    facts: { names },
    calls: range,
  } of files) {
    for (let row = range.start; row < range.end; row += 1) {
      if (copies.calls[row] === 1) continue;
      const name = names[ledger.calls.name[row] as number] ?? "";
      const sum = sums.get(name) ?? { calls: 0, errors: 0 };
      sum.calls += 1;
      if (ledger.calls.outcome[row] === FAILED) sum.errors += 1;
      sums.set(name, sum);
    }
  }
  const tools = [...sums].map(([tool, sum]) => ({ tool, ...sum }));
  return tools.toSorted((left, right) => right.calls - left.calls || (left.tool < right.tool ? -1 : 1));
}
