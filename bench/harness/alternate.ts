import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { median } from "./median.ts";

type Figures<Figure extends string> = Readonly<Record<Figure, number>>;

/**
 * Runs all sides in turn, so that a slow minute of the machine hits all of them, and gives the medians of each side's figures.
 * The first round warms up and does not count.
 */
export async function alternate<Side extends string, Figure extends string>(
  rounds: number,
  sides: Readonly<Record<Side, () => Promise<Figures<Figure>>>>,
): Promise<Readonly<Record<Side, Figures<Figure>>>> {
  const names = Object.keys(sides) as Side[];
  const taken = new Map(names.map((name) => [name, [] as Figures<Figure>[]]));
  for (let round = -1; round < rounds; round += 1) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      const figures = await sides[name]();
      if (round >= 0) taken.get(name)?.push(figures);
    }
  }
  return Object.fromEntries([...taken].map(([name, all]) => [name, medians(all)])) as Record<Side, Figures<Figure>>;
}

/**
 * Waits until the disk has what was written before. Who flushes a file next to others' unwritten ones waits for those too, and who does not
 * flush does not: neither side is to pay for the trees that the bench has made.
 */
export async function settle(): Promise<void> {
  await promisify(execFile)("sync");
}

/** How long the work takes, as a figure of one side. */
export async function timeOf(work: () => Promise<unknown>): Promise<{ readonly ms: number }> {
  return { ms: await timed(work) };
}

/** How many milliseconds the work takes. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  await work();
  return performance.now() - startedMs;
}

function medians<Figure extends string>(all: readonly Figures<Figure>[]): Figures<Figure> {
  const figures = Object.keys(all[0] ?? {}) as Figure[];
  const middle = (figure: Figure): number => median(all.map((each) => each[figure]));
  return Object.fromEntries(figures.map((figure) => [figure, middle(figure)])) as Record<Figure, number>;
}
