import { drain, SkeinError } from "../core/internal.ts";
import type { Environment, StepOutcome } from "./environment.ts";
import type { SearchEvent, SearchResult } from "./search-result.ts";
import type { SearchOptions, SearchRun } from "./search-run.ts";

/**
 * A search that begins when it is awaited, which gives its result, or read, which gives its events. Who has read the
 * events can await the result afterwards; who leaves them early cancels the search.
 */
export interface Search<State, Step>
  extends AsyncIterable<SearchEvent<State, Step>>, PromiseLike<SearchResult<State, Step>> {}

/** What all strategies are: one can stand in for another. */
export type Strategy<State, Step extends StepOutcome, Options extends SearchOptions<State, Step>> = (
  environment: Environment<State, Step>,
  options: Options,
) => Search<State, Step>;

/** Makes a search of a plan, which says what is explored next and returns when it knows nothing more, or the run is stopped. */
export function createSearch<State, Step extends StepOutcome>(
  run: SearchRun<State, Step>,
  plan: () => Promise<void>,
): Search<State, Step> {
  let isStarted = false;
  let resolve: (result: SearchResult<State, Step>) => void;
  let reject: (reason: unknown) => void;
  const result = new Promise<SearchResult<State, Step>>((...settle) => ([resolve, reject] = settle));
  // Who only reads the events learns of a failure there.
  result.catch(() => undefined);

  async function* events(): AsyncGenerator<SearchEvent<State, Step>, void, void> {
    if (isStarted) throw new SkeinError("A search can be read only once", { kind: "usage" });
    isStarted = true;
    const work = run.conduct(plan);
    try {
      yield* run.events;
    } catch (error) {
      reject(error);
      throw error;
    } finally {
      // A reader who leaves comes here too, and finds what there is when all branches have ended.
      run.stop("cancelled");
      await work;
      resolve(run.result());
    }
  }

  return {
    [Symbol.asyncIterator]: events,
    // oxlint-disable-next-line unicorn/no-thenable -- awaiting a search is how its result is asked for
    then(onResult, onFailure) {
      if (!isStarted) drain(events()).catch(() => undefined);
      return result.then(onResult, onFailure);
    },
  };
}
