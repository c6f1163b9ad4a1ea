import { z } from "zod";

export const Stage = z.strictObject({
  stage: z.string(),
  summary: z.string(),
  /** The stages that have to be over before it can begin. */
  after: z.array(z.string()),
  /** When it began, in milliseconds since the process was started. */
  started_ms: z.number(),
  duration_ms: z.number(),
});
export type Stage = z.infer<typeof Stage>;

export type StageToDo = Pick<Stage, "stage" | "summary"> & { readonly after?: readonly string[] };

export type StageClock = ReturnType<typeof createStageClock>;

/** Makes a clock whose first stage is what came before it: everything since the process was started. */
export function createStageClock(before: StageToDo) {
  const stages: Stage[] = [toStage(before, 0)];
  const begin = (stage: StageToDo): (() => void) => {
    const startedMs = performance.now();
    return () => void stages.push(toStage(stage, startedMs));
  };
  const measure = async <T>(stage: StageToDo, work: () => Promise<T>): Promise<T> => {
    const end = begin(stage);
    const value = await work();
    end();
    return value;
  };
  return { stages, begin, measure };
}

function toStage({ stage, summary, after = [] }: StageToDo, startedMs: number): Stage {
  const round = (ms: number): number => Math.round(ms * 10) / 10;
  const durationMs = performance.now() - startedMs;
  return { stage, summary, after: [...after], started_ms: round(startedMs), duration_ms: round(durationMs) };
}
