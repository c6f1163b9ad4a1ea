import type { StepOutcome } from "./environment.ts";

/** What an agent sees of a step, as plain data. */
export interface Observation {
  /** The answer; empty before the first step. */
  readonly text: string;
  /** What became of the files, by path. */
  readonly filesChanged: readonly { readonly type: string; readonly path: string }[];
  /** The key of the state. */
  readonly stateId: string;
}

/** A step of which more is known than search asks for. A `Transition` of the trace is one. */
interface TellingStep {
  readonly execution: StepOutcome["execution"] & { readonly response?: string };
  filesChanged?(): Promise<readonly { readonly type: string; readonly path: string }[]>;
}

/** Looks at a step; of one that tells neither an answer nor files, only the state is seen. */
export async function observeStep(stateId: string, step?: StepOutcome): Promise<Observation> {
  const telling: TellingStep | undefined = step;
  const changes = (await telling?.filesChanged?.()) ?? [];
  return {
    text: telling?.execution.response ?? "",
    filesChanged: changes.map(({ type, path }) => ({ type, path })),
    stateId,
  };
}
