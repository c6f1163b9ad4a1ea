import type { NumberedExchange } from "./cassette.ts";
import { firstDifference, type Difference } from "./first-difference.ts";
import type { NormalisedRequest } from "./normalise-request.ts";

/** An exchange of a cassette, made ready to be compared. */
export interface RecordedRequest extends NumberedExchange {
  readonly normalised: NormalisedRequest;
}

/** The recorded request that is most like one that was not recorded. */
export interface Nearest {
  readonly line: number;
  readonly difference: Difference;
}

/** Finds the recorded request that shares most with a live one; undefined where nothing was recorded. */
export function nearestRecorded(recorded: readonly RecordedRequest[], live: NormalisedRequest): Nearest | undefined {
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
