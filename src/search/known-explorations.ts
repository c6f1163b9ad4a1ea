import { SkeinError } from "../core/index.ts";
import type { Environment, Exploration, StepOutcome } from "./environment.ts";
import type { JournalEntry, SearchJournal } from "./search-journal.ts";

/** Which exploration is meant: the same prompt may be run from the same state several times. */
export type ExplorationKey = Pick<JournalEntry, "from" | "prompt" | "attempt">;

/** The explorations that a journal knows. */
export interface KnownExplorations<State, Step> {
  find(key: ExplorationKey): Promise<Exploration<State, Step> | undefined>;
  /** Adds one, for the next time. */
  add(key: ExplorationKey, reached: Pick<Exploration<State, Step>, "state" | "reward">): Promise<void>;
}

/** Reads a journal; without one nothing is known and nothing is kept. */
export async function readKnown<State, Step extends StepOutcome>(
  environment: Environment<State, Step>,
  journal: SearchJournal | undefined,
): Promise<KnownExplorations<State, Step>> {
  if (!journal) return { find: async () => undefined, add: async () => undefined };
  const { recall } = environment;
  if (!recall)
    throw new SkeinError("This environment cannot recall explorations: leave out `journal`", { kind: "usage" });
  const entries = new Map<string, JournalEntry>();
  for await (const entry of journal.load()) entries.set(textOf(entry), entry);
  return {
    async find(key) {
      const entry = entries.get(textOf(key));
      const found = entry && (await recall.call(environment, entry.to));
      return found && { ...found, ...(entry.reward ? { reward: entry.reward } : {}) };
    },
    async add({ from, prompt, attempt }, { state, reward }) {
      await journal.append({ from, prompt, attempt, to: environment.keyOf(state), ...(reward ? { reward } : {}) });
    },
  };
}

function textOf({ from, prompt, attempt }: ExplorationKey): string {
  return JSON.stringify([from, prompt, attempt]);
}
