import { join } from "node:path";
import { z } from "zod";
import type { ClaudeOptions, Engine } from "../engine/internal.ts";
import {
  ClaudeEnvironment,
  createFileJournal,
  type RewardFunction,
  type SearchOptions,
  type SearchResult,
} from "../search/internal.ts";
import type { State, Transition } from "../trace/internal.ts";
import type { WorkspaceOptions } from "../workspace/internal.ts";
import type { TakenTurn, TeamDesk } from "./desk.ts";

/** What an item's work is given, where a search does it in place of one try. */
export interface AttemptOptions extends SearchOptions<State, Transition> {
  readonly prompt: string;
}

/**
 * Does a round of work by any search: `(environment, { prompt, ...options }) => bestOfN(environment, { ...options, prompts: [prompt], n: 3 })`.
 * Its reward is the share of the gates that pass; its best node is the round's work.
 */
export type Attempts = (
  environment: ClaudeEnvironment,
  options: AttemptOptions,
) => PromiseLike<SearchResult<State, Transition>>;

export interface WorkerParts {
  readonly desk: TeamDesk;
  readonly engine: Engine;
  /** The options of each kind of worker that there is. */
  readonly profiles: readonly ClaudeOptions[];
  readonly workspace: WorkspaceOptions;
  readonly attempts: Attempts | undefined;
  /** How good a try of a search is. */
  readonly reward: RewardFunction<State, Transition>;
}

/** A round of work: from which state, and what is asked for. */
export interface RoundRequest {
  readonly name: string;
  readonly profile: number;
  readonly from: State;
  readonly prompt: string;
}

/** Those who do the work, each round on a branch of its own. */
export interface Workers extends AsyncDisposable {
  /** Undefined where the team has to end before it could. */
  work(request: RoundRequest): Promise<TakenTurn | undefined>;
}

export function createWorkers({ desk, engine, profiles, workspace, attempts, reward }: WorkerParts): Workers {
  const environments = new Map<number, Promise<ClaudeEnvironment>>();

  const environmentFor = async (profile: number): Promise<ClaudeEnvironment> => {
    // A search tries the same several times; one turn that was recorded and not written down is not paid for again.
    const setup = {
      engine,
      options: profiles[profile] ?? {},
      workspace,
      reuse: attempts ? "never" : "always",
      metadata: { team: desk.id, teamRole: "worker" },
    } as const;
    const opened = environments.get(profile) ?? ClaudeEnvironment.open(desk.workspace.path, setup);
    environments.set(profile, opened);
    return await opened;
  };

  async function search(environment: ClaudeEnvironment, { name, from, prompt }: RoundRequest, by: Attempts) {
    const file = join(desk.workspace.home, "teams", `${desk.id}-${name.replaceAll(/[^\w.-]/gu, "_")}.search`);
    const best = await desk.once(name, z.string().nullable(), async () => {
      const { signal, budget } = desk;
      const options = { from, prompt, reward, signal, journal: createFileJournal(file), ...(budget && { budget }) };
      const found = await by(environment, options);
      if (found.best === undefined && found.stopped === "budget") desk.stop("budget");
      return found.best?.state.id ?? null;
    });
    const found = best === null ? undefined : await environment.recall(best);
    return found && { state: found.state, transition: found.transition, isReused: false };
  }

  return {
    async work(request) {
      const { name, profile, from, prompt } = request;
      const environment = await environmentFor(profile);
      if (attempts) return await search(environment, request, attempts);
      return await desk.turn({ name, environment, from, prompt, takesFailure: true });
    },
    async [Symbol.asyncDispose]() {
      for (const environment of environments.values()) await (await environment.catch(() => undefined))?.close();
    },
  };
}
