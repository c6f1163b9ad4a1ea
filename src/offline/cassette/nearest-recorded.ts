import { ownValue } from "../../core/internal.ts";
import type { NumberedExchange } from "./cassette.ts";
import type { NormalisedRequest } from "./normalise-request.ts";

export interface RecordedRequest extends NumberedExchange {
  readonly normalised: NormalisedRequest;
}

export type Nearest = NonNullable<ReturnType<typeof nearestRecorded>>;

/** Finds the recorded request that shares most with a live one; undefined where nothing was recorded. */
export function nearestRecorded(recorded: readonly RecordedRequest[], live: NormalisedRequest) {
  const leaves = leavesOf(live.value);
  const ranked = recorded.map((candidate) => ({ candidate, distance: distanceOf(candidate, leaves) }));
  const nearest = ranked.toSorted((left, right) => left.distance - right.distance)[0]?.candidate;
  if (nearest === undefined) return undefined;
  const difference = firstDifference(nearest.normalised.value, live.value);
  return difference && { line: nearest.line, difference };
}

/** How many single values are in one of the two only. */
function distanceOf({ normalised }: RecordedRequest, live: ReadonlySet<string>): number {
  const recorded = leavesOf(normalised.value);
  const shared = [...recorded].filter((leaf) => live.has(leaf)).length;
  return recorded.size + live.size - 2 * shared;
}

function leavesOf(value: unknown, path = ""): ReadonlySet<string> {
  if (typeof value !== "object" || value === null) return new Set([`${path}=${JSON.stringify(value)}`]);
  return new Set(Object.entries(value).flatMap(([name, part]) => [...leavesOf(part, `${path}.${name}`)]));
}

export interface Difference {
  /** As in `$.messages[2].content[0].text`. */
  readonly path: string;
  /** What was recorded there, shortened; "nothing" where there is none. */
  readonly expected: string;
  readonly got: string;
}

const SHOWN_LENGTH = 120;

/** The first place where two JSON values differ; undefined where they are equal. */
export function firstDifference(expected: unknown, got: unknown, path = "$"): Difference | undefined {
  if (Object.is(expected, got)) return undefined;
  if (!isContainer(expected) || !isContainer(got) || Array.isArray(expected) !== Array.isArray(got)) {
    return { path, ...shorten(expected, got) };
  }
  const names = new Set([...Object.keys(expected), ...Object.keys(got)]);
  for (const name of names) {
    const step = Array.isArray(expected) ? `[${name}]` : `.${name}`;
    const difference = firstDifference(ownValue(expected, name), ownValue(got, name), path + step);
    if (difference) return difference;
  }
  return undefined;
}

/** Shows long texts from a little before the place where they part. */
function shorten(expected: unknown, got: unknown): { readonly expected: string; readonly got: string } {
  if (typeof expected !== "string" || typeof got !== "string") return { expected: show(expected), got: show(got) };
  let same = 0;
  while (same < expected.length && expected[same] === got[same]) same += 1;
  const start = Math.max(expected.length, got.length) <= SHOWN_LENGTH ? 0 : Math.max(0, same - SHOWN_LENGTH / 4);
  return { expected: show(expected, start), got: show(got, start) };
}

function show(value: unknown, start = 0): string {
  if (value === undefined) return "nothing";
  const text = typeof value === "string" ? value.slice(start) : value;
  const shown = `${start > 0 ? "…" : ""}${JSON.stringify(text)}`;
  return shown.length > SHOWN_LENGTH ? `${shown.slice(0, SHOWN_LENGTH)}…` : shown;
}

function isContainer(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
