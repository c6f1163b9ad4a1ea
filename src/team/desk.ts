import { setMaxListeners } from "node:events";
import type { z } from "zod";
import {
  AsyncQueue,
  errorFromRecord,
  SkeinError,
  spendingOf,
  type BudgetTracker,
  type ErrorKind,
  type SkeinEvent,
  NO_SPENDING,
  type Spending,
} from "../core/internal.ts";
import type { ClaudeEnvironment } from "../search/internal.ts";
import type { State, Transition } from "../trace/internal.ts";
import type { Workspace } from "../workspace/internal.ts";
import type { TeamEvent, TeamOutcome } from "./team-events.ts";
import type { TeamJournal, TeamSettings } from "./team-journal.ts";

/** A step that is a round of work: an item's, its attempt's, the round's number. */
export const WORK_STEP = /^[^/]+\/\d+(?:\/merge-\d+)*\/\d+$/u;

/** Events that may wait for a slow reader before the team does. */
const EVENT_CAPACITY = 256;

interface DeskParts {
  readonly workspace: Workspace;
  readonly journal: TeamJournal;
  readonly budget: BudgetTracker | undefined;
  readonly signal: AbortSignal | undefined;
  /** Told of every event as it is told to the reader. */
  readonly onEvent: (event: TeamEvent) => void;
}

/** A turn to be taken: its name is the step's, the same however often the team is resumed. */
export interface TurnRequest {
  readonly name: string;
  readonly environment: ClaudeEnvironment;
  readonly from: State;
  readonly prompt: string;
  readonly onEvent?: (event: SkeinEvent) => void;
  /** Whether a turn that failed is an answer too; a manager's is asked for again. */
  readonly takesFailure: boolean;
}

/** Failures of what a turn runs on, and not of the work: the team ends with them, and takes the turn again when it goes on. */
const GROUNDS: ReadonlySet<ErrorKind> = new Set([
  "usage",
  "filesystem",
  "config",
  "auth",
  "cli_not_found",
  "invalid_model",
  "rate_limit",
  "quota",
  "overloaded",
  "server",
  "network",
  "untrusted_folder",
]);

/** A turn that was taken, now or before the team was cut off. */
export interface TakenTurn {
  readonly state: State;
  readonly transition: Transition;
  readonly isReused: boolean;
}

/** What all parts of a running team share: the journal of what is done, the budget, the events, and whether it has to end. */
export class TeamDesk {
  readonly workspace: Workspace;
  readonly settings: TeamSettings;
  readonly events = new AsyncQueue<TeamEvent>(EVENT_CAPACITY);
  readonly budget: BudgetTracker | undefined;
  readonly #journal: TeamJournal;
  readonly #onEvent: DeskParts["onEvent"];
  readonly #abort = new AbortController();
  #stopped: TeamOutcome | undefined;
  #iterations: number;
  readonly #turns = { taken: 0, offline: 0 };

  constructor({ workspace, journal, budget, signal, onEvent }: DeskParts) {
    this.workspace = workspace;
    this.settings = journal.settings;
    this.budget = budget;
    this.#journal = journal;
    this.#onEvent = onEvent;
    this.#iterations = [...journal.steps.keys()].filter((name) => WORK_STEP.test(name)).length;
    setMaxListeners(0, this.#abort.signal);
    if (signal?.aborted) this.stop("cancelled");
    signal?.addEventListener("abort", () => this.stop("cancelled"), { once: true });
  }

  get id(): string {
    return this.#journal.id;
  }

  /** Aborted when nothing that runs is wanted any more. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Why the team has to end; undefined as long as it goes on. */
  get stopped(): TeamOutcome | undefined {
    return this.#stopped;
  }

  /** Nothing is begun any more. What runs is cancelled, unless only the budget or the iterations are used up. */
  stop(outcome: TeamOutcome): void {
    this.#stopped ??= outcome;
    if (outcome === "budget" || outcome === "iterations") return;
    this.#abort.abort(new SkeinError("The team has ended", { kind: "cancelled" }));
  }

  async tell(event: TeamEvent): Promise<void> {
    this.#onEvent(event);
    await this.events.push(event);
  }

  /** Whether the offline model answered all turns so far, so that nobody paid. */
  get isOffline(): boolean {
    return this.#turns.taken > 0 && this.#turns.taken === this.#turns.offline;
  }

  #note({ state, transition }: Pick<TakenTurn, "state" | "transition">, isReused: boolean): TakenTurn {
    this.#turns.taken += 1;
    if (transition.execution.offline) this.#turns.offline += 1;
    return { state, transition, isReused };
  }

  /** Turns of workers that were taken by this process or before it. */
  get iterations(): number {
    return this.#iterations;
  }

  /** Counts one more turn of a worker; false, and the team ends, where there were as many as there may be. */
  takeIteration(): boolean {
    if (this.#iterations >= this.settings.maxIterations) this.stop("iterations");
    if (this.#stopped) return false;
    this.#iterations += 1;
    return true;
  }

  /** Whether a step was done before the team was cut off. */
  isDone(name: string): boolean {
    return this.#journal.steps.has(name);
  }

  /** Does a step, unless it is done: what it came to is on the disk before anything is built on it. */
  async once<Value>(name: string, schema: z.ZodType<Value>, run: () => Promise<Value>): Promise<Value> {
    const known = this.#journal.steps.get(name);
    if (known) return schema.parse(known.value);
    const value = await run();
    await this.#journal.add(name, { value });
    return value;
  }

  /** Takes a turn from a state, on a branch of its own; undefined where the team has to end before it could. */
  async turn({ name, environment, from, prompt, onEvent, takesFailure }: TurnRequest): Promise<TakenTurn | undefined> {
    const known = await this.#known(name, environment);
    if (known) return known;
    if (this.#stopped) return undefined;
    const reservation = await this.budget?.reserve({ signal: this.signal });
    if (this.budget && !reservation)
      this.stop(this.budget.exhausted()?.dimension === "deadline" ? "deadline" : "budget");
    if (this.#stopped) return undefined;
    let spent: Spending | undefined;
    try {
      const options = { ...reservation?.allowance, signal: this.signal, ...(onEvent && { onEvent }) };
      const { state, transition, isReused = false } = await environment.exploreFrom(from, prompt, options);
      spent = spendingOf(transition.execution);
      // A turn that was cancelled is no answer to its prompt: it is taken again when the team goes on.
      const { outcome, isError, error } = transition.execution;
      if (outcome === "cancelled") return undefined;
      if (isError && error && GROUNDS.has(error.kind)) throw errorFromRecord(error);
      if (!isError || takesFailure) await this.#journal.add(name, { value: state.id, spent });
      return this.#note({ state, transition }, isReused);
    } finally {
      if (reservation) this.budget?.settle(reservation, spent ?? NO_SPENDING);
    }
  }

  async #known(name: string, environment: ClaudeEnvironment): Promise<TakenTurn | undefined> {
    const step = this.#journal.steps.get(name);
    if (!step) return undefined;
    const found = await environment.recall(String(step.value));
    if (!found) {
      throw new SkeinError(`The turn of ${name} is gone: the state ${String(step.value)} was removed`, {
        kind: "state_not_found",
        target: String(step.value),
        hint: "Begin a new team: this one cannot go on without it",
      });
    }
    return this.#note(found, true);
  }
}
