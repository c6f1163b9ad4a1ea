import { median } from "./statistics.ts";

/** Milliseconds from the call to the first thing that is heard of the turn, and to its result. */
export interface Times {
  readonly firstMs: number;
  readonly resultMs: number;
}

/** Runs both sides in turn, so that a slow minute of the machine hits both, and gives their medians. */
export async function compare(
  rounds: number,
  sides: { readonly skein: () => Promise<Times>; readonly sdk: () => Promise<Times> },
): Promise<{ readonly skein: Times; readonly sdk: Times }> {
  const skein: Times[] = [];
  const sdk: Times[] = [];
  for (let round = -1; round < rounds; round += 1) {
    const order = [async () => [skein, await sides.skein()] as const, async () => [sdk, await sides.sdk()] as const];
    for (const run of round % 2 === 0 ? order : order.toReversed()) {
      const [times, time] = await run();
      // The first round warms up and does not count.
      if (round >= 0) times.push(time);
    }
  }
  return { skein: medianTimes(skein), sdk: medianTimes(sdk) };
}

/** One line of the report. */
export function report(name: string, skeinMs: number, sdkMs: number, baseline = "bare SDK"): string {
  const difference = skeinMs - sdkMs;
  const ratio = (skeinMs / sdkMs).toFixed(2);
  return `${name}: ${skeinMs.toFixed(0)} ms, ${baseline} ${sdkMs.toFixed(0)} ms, ratio ${ratio}, difference ${difference.toFixed(0)} ms`;
}

function medianTimes(times: readonly Times[]): Times {
  return { firstMs: median(times.map((time) => time.firstMs)), resultMs: median(times.map((time) => time.resultMs)) };
}
