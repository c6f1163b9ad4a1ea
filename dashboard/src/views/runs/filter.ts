import type { AllStatesQuery } from "../../../../src/monitor/api-types.ts";

/** A word of the filter: what it asks for, or why it cannot be asked. */
interface FilterPart {
  /** As it was written, and as it is taken away again. */
  readonly text: string;
  /** The name before the colon; undefined of words that are looked for in prompts and answers. */
  readonly name: string | undefined;
  readonly problem: string | undefined;
}

export interface Filter {
  readonly parts: readonly FilterPart[];
  /** What the server is asked for. */
  readonly query: FilterQuery;
}

type FilterQuery = Pick<
  AllStatesQuery,
  | "kind"
  | "conversation"
  | "search"
  | "since"
  | "until"
  | "min_cost_usd"
  | "max_cost_usd"
  | "tool"
  | "model"
  | "text"
  | "outcome"
  | "reward"
  | "min_reward"
  | "max_reward"
  | "bookmark"
  | "workspaces"
>;

/** What a filter may name besides itself. */
interface FilterContext {
  readonly workspaces: readonly { readonly id: string; readonly path: string }[];
  readonly nowMs: number;
}

/** The names of filters with what they take, for who writes one. */
export const FILTERS: readonly (readonly [example: string, meaning: string])[] = [
  ["tool:Bash", "turns that called a tool"],
  ["model:claude-sonnet-4-5", "turns that a model answered"],
  ["cost:>0.1", "what the turn cost, in dollars; also <, >=, <="],
  ["reward:<1", "the best reward; reward:tests>0.5 is one by its name"],
  ["outcome:failed", "completed, failed, cancelled or interrupted"],
  ["workspace:shop", "a workspace by its name or id"],
  ["since:7d", "not older; also 12h, 30m, 2026-11-19"],
  ["until:2026-11-19", "older"],
  ["bookmark:", "with any bookmark; bookmark:name is that one"],
  ["conversation:", "one conversation by its id"],
  ["search:", "turns of one search by its run"],
  ["kind:edit", "turn, edit, start or any"],
];

type Read = (value: string, context: FilterContext) => FilterQuery | string;

const READERS: Readonly<Record<string, Read>> = {
  tool: named("tool"),
  model: named("model"),
  conversation: named("conversation"),
  search: named("search"),
  cost: (value) => {
    const found = readRange(value);
    if (typeof found === "string") return found;
    if ((found.least ?? 0) < 0 || (found.most ?? 0) < 0) return "a cost is not below zero";
    return {
      ...(found.least !== undefined && { min_cost_usd: found.least }),
      ...(found.most !== undefined && { max_cost_usd: found.most }),
    };
  },
  reward: readReward,
  outcome: oneOf("outcome", ["completed", "failed", "cancelled", "interrupted"]),
  kind: oneOf("kind", ["turn", "edit", "start", "unreadable", "any"]),
  bookmark: (value) => ({ bookmark: value }),
  workspace: (value, { workspaces }) => {
    const found = workspaces.filter(({ id, path }) => id === value || path === value || path.endsWith(`/${value}`));
    if (found.length > 0) return { workspaces: found.map(({ id }) => id).join(",") };
    return value === "" ? "name a workspace" : `there is no workspace ${value}`;
  },
  since: (value, context) => readMoment(value, context, (since) => ({ since })),
  until: (value, context) => readMoment(value, context, (until) => ({ until })),
};

/** Reads a filter as people write it: `tool:Bash cost:>0.1 reward:<1 outcome:failed words "and more words"`. */
export function parseFilter(text: string, context: FilterContext): Filter {
  const parts: FilterPart[] = [];
  let query: FilterQuery = {};
  const words: string[] = [];
  const given = new Set<string>();
  for (const written of splitWords(text)) {
    const [, name = "", value = ""] = /^([a-z]+):(.*)$/su.exec(written) ?? [];
    const reader = Object.hasOwn(READERS, name) ? READERS[name] : undefined;
    if (!reader) {
      const isLikeFilter = /^[a-z]+:(?!\/\/)\S/u.test(written);
      if (!isLikeFilter) words.push(unquoted(written));
      const problem = isLikeFilter ? `there is no filter ${name}` : undefined;
      parts.push({ text: written, name: isLikeFilter ? name : undefined, problem });
      continue;
    }
    const read = reader(unquoted(value), context);
    const isAgain = Object.keys(typeof read === "string" ? {} : read).some((field) => given.has(field));
    const problem = typeof read === "string" ? read : isAgain ? `${name} is given twice` : undefined;
    parts.push({ text: written, name, problem });
    if (problem !== undefined || typeof read === "string") continue;
    query = { ...query, ...read };
    for (const field of Object.keys(read)) given.add(field);
  }
  return { parts, query: words.length === 0 ? query : { ...query, text: words.join(" ") } };
}

/** The filter without one of its parts. */
export function withoutPart({ parts }: Pick<Filter, "parts">, place: number): string {
  return parts
    .filter((_, each) => each !== place)
    .map(({ text }) => text)
    .join(" ");
}

/** Quotes keep words together; one that is not closed lasts to the end. */
function splitWords(text: string): readonly string[] {
  return text.match(/(?:[^\s"]|"[^"]*(?:"|$))+/gu) ?? [];
}

function unquoted(text: string): string {
  return text.replaceAll('"', "");
}

function named(field: "tool" | "model" | "conversation" | "search"): Read {
  return (value) => (value === "" ? `say which ${field}` : { [field]: value });
}

function oneOf(field: "outcome" | "kind", values: readonly string[]): Read {
  return (value) => (values.includes(value) ? { [field]: value } : `${field} is one of ${values.join(", ")}`);
}

interface Range {
  readonly least?: number;
  readonly most?: number;
}

const COMPARED = /^(>=|<=|>|<|=)?(-?\d+(?:\.\d+)?|-?\.\d+)$/u;

/** `>0.1`, `<=2`, `0.5`: at least that is meant where nothing stands before a number. */
function readRange(value: string): Range | string {
  const [, sign = ">=", digits] = COMPARED.exec(value) ?? [];
  if (digits === undefined) return "write a number, such as >0.1 or <1";
  const number = Number(digits);
  switch (sign) {
    case ">":
      return { least: after(number) };
    case "<":
      return { most: -after(-number) };
    case "<=":
      return { most: number };
    case "=":
      return { least: number, most: number };
    default:
      return { least: number };
  }
}

/** The next number that there is: the server knows "at least" and "at most" alone. */
function after(value: number): number {
  const cells = new DataView(new ArrayBuffer(8));
  cells.setFloat64(0, value === 0 ? 0 : value);
  const bits = cells.getBigInt64(0);
  cells.setBigInt64(0, value < 0 ? bits - 1n : bits + 1n);
  return cells.getFloat64(0);
}

function readReward(value: string): FilterQuery | string {
  const [, name = "", rest = ""] = /^([^<>=]*)(.*)$/su.exec(value) ?? [];
  const isNumber = COMPARED.test(name);
  const range = isNumber ? readRange(name) : rest === "" ? {} : readRange(rest);
  if (typeof range === "string") return range;
  const { least, most } = range;
  if (!isNumber && name === "" && rest === "") return "write a number or the name of a reward";
  return {
    ...(!isNumber && name !== "" && { reward: name }),
    ...(least !== undefined && { min_reward: least }),
    ...(most !== undefined && { max_reward: most }),
  };
}

const UNIT_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

function readMoment(
  value: string,
  { nowMs }: FilterContext,
  make: (moment: string) => FilterQuery,
): FilterQuery | string {
  const [, count, unit = ""] = /^(\d+)([mhdw])$/u.exec(value) ?? [];
  const ms = count === undefined ? parseDate(value) : nowMs - Number(count) * (UNIT_MS[unit] ?? 0);
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? "write a time, such as 7d, 12h or 2026-11-19" : make(date.toISOString());
}

/** A day alone is meant in the person's own zone. */
function parseDate(value: string): number {
  if (!/^\d{4}-\d{2}-\d{2}/u.test(value)) return Number.NaN;
  return Date.parse(value.length === 10 ? `${value}T00:00:00` : value);
}
