import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createFakeClock, type FakeClock } from "../testing/index.ts";
import type { ClaudeOptions } from "./claude-options.ts";
import type { CliProcess } from "./processes/cli-process.ts";
import { watchTurn, type TurnLimits } from "./turn-limits.ts";

describe("a limit", () => {
  test("of time is passed when the turn takes longer", async () => {
    const { clock, limits } = watch({ timeoutMs: 5000 });
    clock.advance(4999);
    expect(await isPassed(limits)).toBe(false);
    clock.advance(1);
    expect((await limits.passed).toJSON()).toMatchObject({
      kind: "timeout",
      reason: "turn",
      timeoutMs: 5000,
      retryable: true,
    });
  });

  test("of silence is passed when nothing is heard, and put off by every message", async () => {
    const { clock, limits } = watch({ idleTimeoutMs: 1000 });
    clock.advance(900);
    limits.heard(false);
    clock.advance(900);
    expect(await isPassed(limits)).toBe(false);
    clock.advance(100);
    expect((await limits.passed).toJSON()).toMatchObject({ kind: "timeout", reason: "idle", retryable: true });
  });

  test("of silence does not count the time in which a tool runs", async () => {
    const { clock, limits } = watch({ idleTimeoutMs: 1000 });
    limits.heard(true);
    clock.advance(1_000_000);
    limits.heard(true);
    clock.advance(1_000_000);
    limits.heard(false);
    clock.advance(999);
    expect(await isPassed(limits)).toBe(false);
    clock.advance(1);
    expect(await limits.passed).toMatchObject({ reason: "idle" });
  });

  test("of silence is 120 seconds unless said otherwise", async () => {
    const { clock, limits } = watch({});
    clock.advance(119_999);
    expect(await isPassed(limits)).toBe(false);
    clock.advance(1);
    expect(await limits.passed).toMatchObject({ timeoutMs: 120_000 });
  });

  test("by a deadline is passed when it comes, at once when it is over", async () => {
    const clock = createFakeClock();
    const { limits } = watch({ deadline: clock.now() + 10 }, clock);
    clock.advance(10);
    expect(await limits.passed).toMatchObject({ reason: "deadline" });
    const late = watch({ deadline: clock.now() - 10 }, clock);
    clock.advance(0);
    expect(await late.limits.passed).toMatchObject({ reason: "deadline" });
  });

  test("by a signal is passed also when it was aborted before", async () => {
    const { limits } = watch({ signal: AbortSignal.abort() });
    expect(await limits.passed).toMatchObject({ kind: "cancelled" });
  });

  test("of memory is passed when the process tree holds more", async () => {
    const sizes = [100, 300];
    const process = {
      limitMemory: () => Promise.resolve("samples"),
      ranOutOfMemoryBy: () => undefined,
      measureBytes: () => Promise.resolve((sizes.shift() ?? 300) * 1024 ** 2),
    } as unknown as CliProcess;
    const { clock, limits } = watch({ memoryLimitMb: 200 }, createFakeClock(), process);
    expect(await isPassed(limits)).toBe(false);
    clock.advance(250);
    expect((await limits.passed).toJSON()).toMatchObject({
      kind: "resource_exhausted",
      resource: "memory",
      limitedBy: "samples",
    });
  });

  test("of processes is passed when the tree has more", async () => {
    const counts = [60, 61];
    const process = { countProcesses: () => Promise.resolve(counts.shift() ?? 61) } as unknown as CliProcess;
    const { clock, limits } = watch({ maxProcesses: 60 }, createFakeClock(), process);
    expect(await isPassed(limits)).toBe(false);
    clock.advance(100);
    expect((await limits.passed).toJSON()).toMatchObject({ kind: "resource_exhausted", resource: "processes" });
  });

  test("of the disk is passed when the turn's folders have grown by more, the home among them", async () => {
    const cwd = await mkdtemp(join(tmpdir(), "skein-limits-"));
    const home = await mkdtemp(join(tmpdir(), "skein-limits-"));
    await writeFile(join(cwd, "before"), Buffer.alloc(200_000));
    const clock = createFakeClock();
    let limits: TurnLimits | undefined;
    await new Promise<void>((looked) => {
      const sleep: FakeClock["sleep"] = (ms, signal) => (ms === 250 && looked(), clock.sleep(ms, signal));
      const options = { cwd, env: { HOME: home }, maxDiskBytes: 100_000 };
      limits = watch(options, { ...clock, sleep }).limits;
    });
    await writeFile(join(home, "more"), Buffer.alloc(150_000));
    clock.advance(250);
    expect((await limits?.passed)?.toJSON()).toMatchObject({ kind: "resource_exhausted", resource: "disk" });
    await Promise.all([cwd, home].map((folder) => rm(folder, { recursive: true })));
  });

  test("by the caller's signal is passed on abort", async () => {
    const controller = new AbortController();
    const { limits } = watch({ signal: controller.signal });
    controller.abort();
    expect(await limits.passed).toMatchObject({ kind: "cancelled" });
  });

  test("is not passed any more once the turn is over", async () => {
    const { clock, limits } = watch({ timeoutMs: 10, idleTimeoutMs: 10 });
    limits[Symbol.dispose]();
    clock.advance(1000);
    expect(await isPassed(limits)).toBe(false);
  });
});

function watch(
  options: ClaudeOptions,
  clock: FakeClock = createFakeClock(),
  process?: CliProcess,
): { readonly clock: FakeClock; readonly limits: TurnLimits } {
  return { clock, limits: watchTurn(options, clock, () => process) };
}

/** Whether the limit is passed after everything that was due has run. */
async function isPassed({ passed }: TurnLimits): Promise<boolean> {
  for (let round = 0; round < 20; round += 1) await Promise.resolve();
  return await Promise.race([passed.then(() => true), Promise.resolve(false)]);
}
