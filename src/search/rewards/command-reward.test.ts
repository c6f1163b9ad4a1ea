import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { identify } from "../../core/internal.ts";
import { createFakeClock } from "../../testing/index.ts";
import { commandReward, testReward } from "./command-rewards.ts";
import type { Reward } from "../environment.ts";
import type { RewardFunction } from "./reward.ts";

const exploration = { state: undefined, transition: undefined };
let directory: string;

beforeEach(async () => void (directory = await mkdtemp(join(tmpdir(), "skein-reward-"))));
afterEach(async () => await rm(directory, { recursive: true }));

async function ask(reward: RewardFunction, signal = new AbortController().signal): Promise<Reward> {
  return (await reward(exploration, { signal, directory })) as Reward;
}

async function readPid(): Promise<number> {
  return await vi.waitFor(async () => {
    const pid = Number(await readFile(join(directory, "pid"), "utf8"));
    expect(pid).toBeGreaterThan(1);
    return pid;
  }, 20_000);
}

/** A child that leads a session of its own, which no group finds, and that does not end when it is asked to. */
const STUBBORN = `setsid sh -c 'trap "" TERM; echo $$ > pid; while :; do sleep 0.05; done' & `;

describe("commandReward", () => {
  it("is 1 for exit code 0 and 0 for any other, with the end of the output", async () => {
    expect(await ask(commandReward("pwd; echo oh >&2"))).toEqual({
      value: 1,
      parts: {},
      notes: { command: "pwd; echo oh >&2", ending: "exit code 0", output: `${directory}\noh` },
    });
    expect(await ask(commandReward("exit 3"))).toMatchObject({ value: 0, notes: { ending: "exit code 3" } });
    expect(await ask(commandReward("kill -9 $$"))).toMatchObject({ value: 0, notes: { ending: "killed by a signal" } });
  });

  it("ends a command that takes too long, and all that it started", async () => {
    const clock = createFakeClock();
    const asked = ask(commandReward(`${STUBBORN} sleep 60`, { timeoutMs: 500, clock }));
    const pid = await readPid();
    clock.advance(500);
    expect(await asked).toMatchObject({ value: 0, notes: { ending: "took too long" } });
    expect(await identify(pid)).toBeUndefined();
  });

  it("ends what a command left behind", async () => {
    expect(await ask(commandReward(`${STUBBORN} while [ ! -s pid ]; do sleep 0.01; done`))).toMatchObject({ value: 1 });
    expect(await identify(await readPid())).toBeUndefined();
  });

  it("rejects on abort when everything has ended", async () => {
    const abort = new AbortController();
    const asked = ask(commandReward(`${STUBBORN} sleep 60`), abort.signal);
    const pid = await readPid();
    abort.abort(new Error("enough"));
    await expect(asked).rejects.toThrow("enough");
    expect(await identify(pid)).toBeUndefined();
  });

  it("keeps the host's keys from what the agent wrote", async () => {
    for (const name of ["ANTHROPIC_API_KEY", "AWS_SECRET_ACCESS_KEY", "MY_TOKEN"]) vi.stubEnv(name, "secret");
    const { notes } = await ask(commandReward("env", { env: { ADDED: "by the caller" } }));
    vi.unstubAllEnvs();
    expect(notes?.["output"]).not.toContain("secret");
    expect(notes?.["output"]).toContain("ADDED=by the caller");
    expect(notes?.["output"]).toContain(`PATH=${process.env["PATH"]}`);
  });

  it("goes by the way into the branch where there is one", async () => {
    const enter = (argv: readonly string[]): readonly string[] => ["/usr/bin/env", "INSIDE=yes", ...argv];
    const context = { signal: new AbortController().signal, directory, enter };
    expect(await commandReward('test "$INSIDE" = yes')(exploration, context)).toMatchObject({ value: 1 });
  });

  it("refuses to run where there is no directory", async () => {
    const context = { signal: new AbortController().signal };
    await expect(commandReward("true")(exploration, context)).rejects.toMatchObject({ kind: "usage" });
  });
});

describe("testReward", () => {
  const TESTS = `import { test } from "node:test";
    test("one", () => {}); test("two", () => {}); test("three", () => { throw new Error("no") }); test("four", { skip: true }, () => {});`;
  const run = "node --test --test-reporter";

  it("is the share of the tests that passed, by the runner's own report", async () => {
    await writeFile(join(directory, "a.test.mjs"), TESTS);
    const counts = { value: 0.5, parts: { passed: 2, failed: 1, skipped: 1, total: 4 } };
    expect(await ask(testReward({ command: `${run}=tap a.test.mjs`, format: "tap" }))).toMatchObject(counts);
    const command = `${run}=junit --test-reporter-destination=report.xml a.test.mjs`;
    expect(await ask(testReward({ command, format: "junit", file: "report.xml" }))).toMatchObject(counts);
  });

  it("counts tests that are missing as not passed", async () => {
    const reward = testReward({ command: "echo '2 passed in 0.01s'", format: "pytest", minimumTotal: 8 });
    expect(await ask(reward)).toMatchObject({ value: 0.25, parts: { passed: 2, failed: 0, skipped: 0, total: 8 } });
  });

  it("is 0 without a report, and does not take one of an earlier run", async () => {
    await writeFile(join(directory, "report.xml"), '<testsuite><testcase name="old"/></testsuite>');
    expect(await ask(testReward({ command: "exit 7", format: "junit", file: "report.xml" }))).toEqual({
      value: 0,
      parts: {},
      notes: { command: "exit 7", ending: "exit code 7", output: "", problem: "There is no junit report" },
    });
  });
});
