import { loadavg } from "node:os";
import type { Bench } from "./bench.ts";
import type { Row } from "./row.ts";

/** What came of one bench. */
export interface Taken {
  readonly name: string;
  readonly summary: string;
  readonly startedAt: string;
  /** How many processes wanted to run when it began: more than a few, and the figures say less. */
  readonly load: number;
  readonly seconds: number;
  readonly rows: readonly Row[];
  /** Why there are no rows. */
  readonly error: string | null;
}

/** Runs them one after the other, so that none disturbs another; one that fails does not end the run. */
export async function runBenches(
  benches: readonly Bench[],
  { tell, done }: { readonly tell: (line: string) => void; readonly done: (taken: Taken) => void },
): Promise<readonly Taken[]> {
  const taken: Taken[] = [];
  for (const [index, bench] of benches.entries()) {
    const place = `[${index + 1}/${benches.length}] ${bench.name}`;
    tell(place);
    const one = await runBench(bench, (next) => tell(`${place}: ${next}`));
    taken.push(one);
    done(one);
  }
  return taken;
}

async function runBench({ name, summary, run }: Bench, tell: (next: string) => void): Promise<Taken> {
  const startedMs = performance.now();
  const start = { name, summary, startedAt: new Date().toISOString(), load: loadavg()[0] ?? Number.NaN };
  const seconds = (): number => (performance.now() - startedMs) / 1000;
  try {
    const rows = await run(tell);
    return { ...start, seconds: seconds(), rows, error: null };
  } catch (error) {
    return { ...start, seconds: seconds(), rows: [], error: error instanceof Error ? error.message : String(error) };
  }
}
