import { groupBy, projectFolderName } from "../../core/internal.ts";
import type { Cassette } from "./cassette.ts";
import { nearestRecorded, type RecordedRequest } from "./nearest-recorded.ts";
import { type ApiRequest, type NormalisedRequest, normaliseRequest } from "./normalise-request.ts";
import { rewriteResponse } from "./rewrite-response.ts";
import type { Substitution } from "./substitution.ts";
import type { VolatileKind } from "./volatile-text.ts";

/** Answers requests from a cassette: the same request again gets the next answer recorded for it, then the last again. */
export class Playback {
  readonly #recorded: readonly RecordedRequest[];
  readonly #byKey: ReadonlyMap<string, readonly RecordedRequest[]>;
  readonly #played = new Map<RecordedRequest, number>();

  constructor(cassette: Cassette) {
    this.#recorded = cassette.exchanges.map((numbered) => ({
      ...numbered,
      normalised: normaliseRequest(numbered.exchange.request),
    }));
    this.#byKey = groupBy(this.#recorded, ({ normalised }) => JSON.stringify(normalised.value));
  }

  /** The answer to a request, with the live working directory, paths and ids put in; else the recorded request most like it. */
  play(request: ApiRequest) {
    const live = normaliseRequest(request);
    const takes = this.#takesOf(live);
    const [first] = takes;
    if (first === undefined) return { type: "unmatched", nearest: nearestRecorded(this.#recorded, live) } as const;
    const count = this.#played.get(first) ?? 0;
    this.#played.set(first, count + 1);
    const { exchange, normalised } = takes[Math.min(count, takes.length - 1)] ?? first;
    const response = rewriteResponse(exchange.response, carryOver(normalised, live));
    return { type: "answer", response, durationMs: exchange.timing.durationMs } as const;
  }

  /** Every recording of this request; those that offered the same tools only, where there are such. */
  #takesOf(live: NormalisedRequest): readonly RecordedRequest[] {
    const equal = this.#byKey.get(JSON.stringify(live.value)) ?? [];
    const tools = live.toolNames.join();
    const sameTools = equal.filter(({ normalised }) => normalised.toolNames.join() === tools);
    return sameTools.length > 0 ? sameTools : equal;
  }
}

/** What a model repeats from its request: a date or a duration it would not act on. */
const CARRIED: Readonly<Partial<Record<VolatileKind, Substitution["kind"]>>> = {
  tmp: "path",
  home: "path",
  address: "id",
  uuid: "id",
  hash: "id",
};

/** What a recorded answer must say otherwise to a live request: its working directory, and the paths, ids and commits in it. */
function carryOver(recorded: NormalisedRequest, live: NormalisedRequest): readonly Substitution[] {
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
    { from: `/${projectFolderName(recorded.cwd)}/`, to: `/${projectFolderName(live.cwd)}/`, kind: "exact" },
  ];
}
