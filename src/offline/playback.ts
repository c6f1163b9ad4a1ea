import type { Cassette, RecordedResponse } from "./cassette.ts";
import { carryOver } from "./carry-over.ts";
import { nearestRecorded, type Nearest, type RecordedRequest } from "./nearest-recorded.ts";
import { normaliseRequest, type ApiRequest, type NormalisedRequest } from "./normalise-request.ts";
import { rewriteResponse } from "./rewrite-response.ts";

/** What a cassette has for a request: the answer, or the recorded request that is most like it. */
export type Played =
  | { readonly type: "answer"; readonly line: number; readonly response: RecordedResponse; readonly durationMs: number }
  | { readonly type: "unmatched"; readonly nearest: Nearest | undefined };

/** Answers requests from a cassette: the same request again gets the next answer recorded for it, then the last again. */
export class Playback {
  readonly #recorded: readonly RecordedRequest[];
  readonly #byKey = new Map<string, RecordedRequest[]>();
  readonly #played = new Map<RecordedRequest, number>();

  constructor(cassette: Cassette) {
    this.#recorded = cassette.exchanges.map((numbered) => ({
      ...numbered,
      normalised: normaliseRequest(numbered.exchange.request),
    }));
    for (const recorded of this.#recorded) {
      const key = JSON.stringify(recorded.normalised.value);
      this.#byKey.set(key, [...(this.#byKey.get(key) ?? []), recorded]);
    }
  }

  /** Finds the answer to a request, with the live working directory, paths and ids put in. */
  play(request: ApiRequest): Played {
    const live = normaliseRequest(request);
    const takes = this.#takesOf(live);
    const [first] = takes;
    if (first === undefined) return { type: "unmatched", nearest: nearestRecorded(this.#recorded, live) };
    const count = this.#played.get(first) ?? 0;
    this.#played.set(first, count + 1);
    const { line, exchange, normalised } = takes[Math.min(count, takes.length - 1)] ?? first;
    const response = rewriteResponse(exchange.response, carryOver(normalised, live));
    return { type: "answer", line, response, durationMs: exchange.timing.durationMs };
  }

  /** Every recording of this request; those that offered the same tools only, where there are such. */
  #takesOf(live: NormalisedRequest): readonly RecordedRequest[] {
    const equal = this.#byKey.get(JSON.stringify(live.value)) ?? [];
    const tools = live.toolNames.join();
    const sameTools = equal.filter(({ normalised }) => normalised.toolNames.join() === tools);
    return sameTools.length > 0 ? sameTools : equal;
  }
}
