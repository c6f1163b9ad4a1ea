import type { TurnResult } from "../../../src/core/index.ts";
import type { PermissionMode, TurnOptions } from "../../../src/engine/index.ts";
import type { OfflineAgent } from "../../../src/testing/index.ts";

/** What a turn came to, as far as the model foretells it. */
export interface Outcome {
  readonly text: string;
  /** The kind of its error; none where it came to a good end. */
  readonly kind: string | undefined;
  readonly model: string;
  /** The models that answered in it. */
  readonly models: readonly string[];
  readonly deniedTools: readonly string[];
  readonly costUsd: number;
  readonly outputTokens: number;
  /** Responses of the model. */
  readonly responses: number;
  readonly isFolded: boolean;
}

/** What a conversation has counted by itself. */
export interface Counted {
  readonly turns: number;
  readonly errors: number;
  readonly costUsd: number;
}

/** A conversation that keeps its process, by one of the ways there are to hold one. */
export interface Face {
  readonly agent: OfflineAgent;
  /** The directory that its agent works in. */
  readonly cwd: string;
  /** Whether prompts can be sent before the responses to others are read; each then has a response of its own. */
  readonly hasQueue: boolean;
  /** Whether a prompt that was taken into an earlier turn has a response of its own. */
  readonly tellsFolded: boolean;
  /** Whether a turn that was refused, because the money is spent, is one of its turns. */
  readonly countsRefused: boolean;
  /** Whether a process is started to be read before anything is sent. */
  readonly connectsFirst: boolean;
  /** The processes that run now. */
  pids(): readonly number[];
  /** Sends a prompt. Options for one turn are for faces without a queue. */
  send(prompt: string, options?: TurnOptions): Promise<void>;
  /** The response to the oldest prompt that has none. */
  read(): Promise<Outcome>;
  /** Reads in its place until its tool runs, and leaves. */
  leave?(): Promise<void>;
  /** How many pieces of text its reader was given. */
  heard(): number;
  /** Says more while a turn runs. */
  add(prompt: string): Promise<void>;
  interrupt(): Promise<void>;
  setModel(model: string): Promise<void>;
  setPermissionMode(mode: PermissionMode): Promise<void>;
  /** Lets time go by, for all that watches over turns. */
  idle(ms: number): void;
  counted(): Counted;
  /** The tokens that were written, as the transcripts have them. */
  tokensInTranscripts(): Promise<number>;
  /** Closes it, and goes on with it as somebody would who comes back. */
  reopen(): Promise<void>;
  /** Closes it for good; the processes are gone then. */
  close(): Promise<void>;
}

/** Reads a result as an outcome. */
export function toOutcome(result: TurnResult): Outcome {
  return {
    text: result.text,
    kind: result.error?.kind,
    model: result.model,
    models: Object.keys(result.usageByModel).toSorted(),
    deniedTools: result.permissionDenials.map(({ tool }) => tool),
    costUsd: result.costUsd,
    outputTokens: result.usage.outputTokens,
    responses: result.responses,
    isFolded: result.isFolded ?? false,
  };
}
