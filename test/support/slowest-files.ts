import type { Reporter, TestModule } from "vitest/node";

const SHOWN = 10;

/** Prints the files that took longest, so that a test that grows slow is seen by whoever made it so. */
export class SlowestFiles implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    if (modules.length <= SHOWN) return;
    const times = modules.map((module) => ({ name: module.relativeModuleId, ms: timeOf(module) }));
    const slowest = times.toSorted((one, other) => other.ms - one.ms).slice(0, SHOWN);
    const lines = slowest.map(({ name, ms }) => `${(ms / 1000).toFixed(1).padStart(8)} s  ${name}\n`);
    process.stdout.write(`\n The ${SHOWN} slowest files\n${lines.join("")}`);
  }
}

function timeOf(module: TestModule): number {
  const { collectDuration, duration } = module.diagnostic();
  return collectDuration + duration;
}
