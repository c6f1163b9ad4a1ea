import { SkeinError } from "../core/index.ts";
import type { Environment, StepOutcome } from "./environment.ts";
import type { SearchOptions } from "./search-options.ts";
import type { SearchEvent, SearchResult } from "./search-result.ts";
import { SearchRun } from "./search-run.ts";

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

/** The part of a search that differs: what is explored next. It returns when it knows nothing more, or the run is stopped. */
export type SearchPlan<State, Step extends StepOutcome> = (run: SearchRun<State, Step>) => Promise<void>;

/** What a search is made of, beside its plan. */
export interface SearchParts<State, Step extends StepOutcome> {
  /** The strategy's name. */
  readonly name: string;
  readonly environment: Environment<State, Step>;
  readonly options: SearchOptions<State, Step>;
}

/** Makes a search of a plan. */
export function createSearch<State, Step extends StepOutcome>(
  parts: SearchParts<State, Step>,
  plan: SearchPlan<State, Step>,
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
    try {
      yield* readEvents(new SearchRun(parts.environment, parts.options));
    } catch (error) {
      reject(error);
      throw error;
    }
  }

  async function* readEvents(run: SearchRun<State, Step>): AsyncGenerator<SearchEvent<State, Step>, void, void> {
    const work = conduct(run, parts, plan);
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
      if (!isStarted) readAll(events()).catch(() => undefined);
      return result.then(onResult, onFailure);
    },
  };
}

/** Follows the plan to its end, and waits for every branch: nothing runs on after a search. */
async function conduct<State, Step extends StepOutcome>(
  run: SearchRun<State, Step>,
  { name, environment, options }: SearchParts<State, Step>,
  plan: SearchPlan<State, Step>,
): Promise<void> {
  const { signal, from, seed = 0 } = options;
  const cancel = (): void => run.stop("cancelled");
  signal?.addEventListener("abort", cancel, { once: true });
  if (signal?.aborted) cancel();
  try {
    await run.emit({ type: "search-start", strategy: name, from: environment.keyOf(from), seed });
    if (!run.isStopped) await plan(run);
    await run.settled();
    run.stop("exhausted");
    await run.emit({ type: "search-end", result: run.result() });
  } catch (error) {
    run.stop("cancelled");
    await run.settled();
    run.events.fail(error);
  } finally {
    signal?.removeEventListener("abort", cancel);
    run.events.end();
  }
}

async function readAll(events: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of events);
}
