import type { NormalisedRequest } from "./normalise-request.ts";
import type { Substitution } from "./substitution.ts";
import { projectFolder, type VolatileKind } from "./volatile-text.ts";

/** What a model repeats from its request: a date or a duration it would not act on. */
const CARRIED: Readonly<Partial<Record<VolatileKind, Substitution["kind"]>>> = {
  tmp: "path",
  home: "path",
  address: "id",
  uuid: "id",
  hash: "id",
};

/**
 * What must be put in place of what when a recorded answer is given to a live request: its working directory, and the
 * paths, ids and commits that the recorded request told the model and the live one tells otherwise.
 */
export function carryOver(recorded: NormalisedRequest, live: NormalisedRequest): readonly Substitution[] {
  const pairs = recorded.volatile.flatMap(({ kind, value: from }, index): Substitution[] => {
    const partner = live.volatile[index];
    const carried = CARRIED[kind];
    return carried && partner?.kind === kind ? [{ from, to: partner.value, kind: carried }] : [];
  });
  const firstOfEach = new Map(
    [...workingDirectory(recorded, live), ...pairs].toReversed().map((pair) => [pair.from, pair]),
  );
  return [...firstOfEach.values()].filter(({ from, to }) => from !== to);
}

function workingDirectory(recorded: NormalisedRequest, live: NormalisedRequest): readonly Substitution[] {
  if (recorded.cwd === undefined || live.cwd === undefined) return [];
  return [
    { from: recorded.cwd, to: live.cwd, kind: "path" },
    { from: `/${projectFolder(recorded.cwd)}/`, to: `/${projectFolder(live.cwd)}/`, kind: "exact" },
  ];
}
