import { z } from "zod";
import type { TurnStartEvent } from "../../core/internal.ts";
import type { OfferedTool } from "./offered.ts";

/** A command or tool that a prompt may be about, and why. */
export const RouteMatch = z.strictObject({
  kind: z.enum(["command", "tool"]).describe("What was found: a command or a tool"),
  name: z.string().describe("Its name"),
  score: z.number().describe("From 0 to 1: how much of what the prompt's words can tell apart is found here"),
  source: z.string().describe("Whose it is"),
  matched: z
    .array(
      z.strictObject({
        word: z.string().describe("The word"),
        fields: z.array(z.enum(["name", "description"])).describe("Where it was found"),
        share: z.number().describe("The part of the score that it gives, from 0 to 1"),
      }),
    )
    .describe("The words of the prompt that were found, where, and how much of the score each gives"),
});
export type RouteMatch = z.infer<typeof RouteMatch>;

export type Rankable = Readonly<Record<"commands" | "tools", readonly RankableEntry[]>>;

export type RankableEntry = Pick<OfferedTool, "name" | "aliases" | "description"> & { readonly source: string };

interface Candidate extends Pick<RouteMatch, "kind" | "name" | "source"> {
  readonly words: Readonly<Record<Field, readonly string[]>>;
}

type Field = RouteMatch["matched"][number]["fields"][number];

const FIELDS = ["name", "description"] as const;

/** A word in a name says more than one of a description. */
const WEIGHTS: Readonly<Record<Field, number>> = { name: 4, description: 1 };

/** BM25's usual values: how soon more of the same word stops to count, and how much a long text is held against it. */
const SATURATION = 1.2;
const LENGTH_PENALTY = 0.75;

/**
 * Ranks commands and tools by the words that they share with a prompt: BM25 over name and description, divided by the
 * most that these words could give, so that scores lie between 0 and 1 and the same offer always gives the same ones.
 */
export function rankOffer(prompt: string, offer: Rankable): readonly RouteMatch[] {
  const candidates = toCandidates(offer);
  const averages = averageLengths(candidates);
  const rarities = findRarities([...new Set(wordsOf(prompt))], candidates);
  const most = [...rarities.values()].reduce((sum, rarity) => sum + rarity, 0);
  const matches = candidates.map(({ words, ...candidate }) => {
    const matched = [...rarities].flatMap(([word, rarity]) => {
      const fields = FIELDS.filter((field) => words[field].includes(word));
      return fields.length === 0 ? [] : { word, fields, share: (rarity * strength(word, words, averages)) / most };
    });
    const score = matched.reduce((sum, { share }) => sum + share, 0);
    return { ...candidate, score: round(score), matched: matched.map((one) => ({ ...one, share: round(one.share) })) };
  });
  return matches.filter(({ score }) => score > 0).toSorted(compareMatches);
}

function toCandidates({ commands, tools }: Rankable): readonly Candidate[] {
  const of =
    (kind: RouteMatch["kind"]) =>
    ({ name, aliases, source, description }: RankableEntry): Candidate => ({
      kind,
      name,
      source,
      words: { name: wordsOf([name, ...aliases].join(" ")), description: wordsOf(description) },
    });
  return [...commands.map(of("command")), ...tools.map(of("tool"))];
}

function averageLengths(candidates: readonly Candidate[]): Readonly<Record<Field, number>> {
  const average = (field: Field): number =>
    candidates.reduce((sum, { words }) => sum + words[field].length, 0) / Math.max(1, candidates.length) || 1;
  return { name: average("name"), description: average("description") };
}

/** How much each word can tell apart. One that is nowhere cannot; it says nothing about any candidate. */
function findRarities(words: readonly string[], candidates: readonly Candidate[]): ReadonlyMap<string, number> {
  const counts = words.map((word): [string, number] => [
    word,
    candidates.filter(({ words: own }) => FIELDS.some((field) => own[field].includes(word))).length,
  ]);
  const found = counts.filter(([, count]) => count > 0);
  return new Map(found.map(([word, count]) => [word, Math.log(1 + candidates.length / count)]));
}

/** How strongly a word stands in a candidate, from 0 up to 1. */
function strength(word: string, words: Candidate["words"], averages: Readonly<Record<Field, number>>): number {
  const weight = FIELDS.reduce((sum, field) => {
    const times = words[field].filter((one) => one === word).length;
    const length = 1 - LENGTH_PENALTY + (LENGTH_PENALTY * words[field].length) / averages[field];
    return sum + (WEIGHTS[field] * times) / length;
  }, 0);
  return weight / (SATURATION + weight);
}

function compareMatches(left: RouteMatch, right: RouteMatch): number {
  return right.score - left.score || compare(left.kind, right.kind) || compare(left.name, right.name);
}

/** By code units, so that no locale changes the order. */
function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

function round(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}

/** Words that are in every other sentence and tell nothing apart. */
const COMMON_WORDS = new Set(
  (
    "a an and any are as at be but by can do does for from has have how i if in into is it its me my no not of on or " +
    "our please so some that the their them then there this to up us use was we what when where which who will with you your"
  ).split(" "),
);

/** The words of a text that tell something, in one spelling: `ExitWorktree` is exit and worktree, `files` is file. */
export function wordsOf(text: string): readonly string[] {
  const parts = text
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, "$1 $2")
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu);
  return (parts ?? []).filter((word) => !COMMON_WORDS.has(word)).map(stem);
}

/** Cuts the endings of English that change a word's form but not what it is about. */
function stem(word: string): string {
  if (word.length > 5 && word.endsWith("ing")) return word.slice(0, -3);
  if (word.length > 4 && word.endsWith("ies")) return `${word.slice(0, -3)}y`;
  if (word.length > 4 && /(?:ch|sh|x|ss)es$/u.test(word)) return word.slice(0, -2);
  if (word.length > 3 && word.endsWith("s") && !word.endsWith("ss")) return word.slice(0, -1);
  return word.length > 4 && word.endsWith("ed") ? word.slice(0, -2) : word;
}

/** Ranks what a turn was offered by its prompt. Only names are known here; `route` knows descriptions too. */
export function matchNames(prompt: string, { tools, raw }: TurnStartEvent, limit: number): MatchedNames {
  const { slash_commands: commands = [] } = (raw ?? {}) as { readonly slash_commands?: readonly string[] };
  const nameOnly = (name: string): RankableEntry => ({ name, aliases: [], source: "", description: "" });
  return matchedNames(rankOffer(prompt, { commands: commands.map(nameOnly), tools: tools.map(nameOnly) }), limit);
}

interface MatchedNames {
  readonly matched_commands: string[];
  readonly matched_tools: string[];
}

export function matchedNames(matches: readonly RouteMatch[], limit?: number): MatchedNames {
  const named = (kind: RouteMatch["kind"]): string[] =>
    matches.flatMap((match) => (match.kind === kind ? [match.name] : [])).slice(0, limit);
  return { matched_commands: named("command"), matched_tools: named("tool") };
}
