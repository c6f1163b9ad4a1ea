import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { processesWith } from "../../../test/support/isolated-attack.ts";
import { describeWith } from "../../../test/support/require-package.ts";
import { spawnCli, type CliProcess } from "../processes/cli-process.ts";
import { createMemoryGroup, findGroupParent, type GroupParent } from "./memory-group.ts";

const MB = 1024 ** 2;

/** The real ones of this machine; none where a group cannot be made. */
const parent = await usableParent();

let folder: string;
let cli: CliProcess;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "skein-memory-"));
});

afterEach(async () => {
  await cli.end(0);
});

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** Takes memory in Python, where nothing else does. */
const take = (mb: number): string =>
  `python3 -c 'import time; x = b"x" * ${mb * MB}; print("taken", flush=True); time.sleep(1000)'`;

const PYTHON = { command: "python3", package: "python3" };

/** Ways to use more than 150 MB. */
const ATTACKS: readonly (readonly [name: string, script: string])[] = [
  ["one process", take(300)],
  ["many small ones", `for i in $(seq 12); do ${take(25)} & done; wait`],
  ["one that cleared its environment", `env -i PATH="$PATH" ${take(300)}`],
  [
    "shared memory without a file",
    `python3 -c 'import mmap, time; m = mmap.mmap(-1, ${300 * MB}); m.write(b"x" * ${300 * MB}); time.sleep(1000)'`,
  ],
  [
    "memory that is a file",
    `python3 -c 'import os, time; f = os.memfd_create("x"); [os.write(f, b"x" * ${MB}) for _ in range(300)]; time.sleep(1000)'`,
  ],
  [
    "a file system in memory",
    "unshare -Urm sh -c 'mount -t tmpfs none /dev/shm; head -c 300M /dev/zero > /dev/shm/x; sleep 1000'",
  ],
];

describeWith(PYTHON, "a limit on memory that is held by looking", () => {
  test.each(ATTACKS)("is passed by %s", async (_, script) => {
    start(script);
    expect(await cli.limitMemory(150 * MB)).toBe("samples");
    await expect.poll(() => cli.measureBytes(), { timeout: 20_000 }).toBeGreaterThan(150 * MB);
    expect(cli.ranOutOfMemoryBy()).toBeUndefined();
  });

  test("is not passed by a program that has forked, nor by what it read from the disk", async () => {
    const file = join(folder, "large");
    const fork = `import os, time; x = b"x" * ${50 * MB}; [os.fork() for _ in range(4)]; print("taken", flush=True); time.sleep(1000)`;
    start(`head -c 300M /dev/zero > ${file}; cat ${file} > /dev/null; python3 -c '${fork}'`);
    await cli.limitMemory(150 * MB);
    await expect.poll(() => cli.countProcesses(), { timeout: 20_000 }).toBe(17);
    await expect.poll(() => cli.measureBytes(), { timeout: 20_000 }).toBeGreaterThan(50 * MB);
    expect(await cli.measureBytes()).toBeLessThan(150 * MB);
  });
});

const WITHOUT = "limits by control groups need a group below which one can be made";
if (!parent && process.env["SKEIN_REQUIRE_ALL"] === "1") throw new Error(WITHOUT);
if (!parent) process.stderr.write(`skipped: ${WITHOUT}\n`);

describeWith(PYTHON, "a limit on memory that the kernel holds", () => {
  test
    .runIf(parent)
    .each<readonly [name: string, script: string]>([
      ...ATTACKS,
      [
        "one that cleared its environment and left the tree",
        `env -i PATH="$PATH" setsid sh -c '(${take(300).replaceAll("'", `'\\''`)}) & exit' ; sleep 1000`,
      ],
    ])("ends %s", async (_, script) => {
    // It waits until it is told, as the CLI does for its prompt.
    start(`read -r line; ${script}`, parent);
    expect(await cli.limitMemory(150 * MB)).toBe(parent?.version);
    cli.child.stdin.write("go\n");
    await expect.poll(() => cli.ranOutOfMemoryBy(), { timeout: 20_000 }).toBe(parent?.version);
    expect(await cli.measureBytes()).toBeLessThan(170 * MB);
    await cli.end(0);
    expect(await groups()).toEqual([]);
  });

  test.runIf(parent)("leaves alone what a program reads from the disk, and goes with it", async () => {
    start(
      `read -r line; head -c 300M /dev/zero > ${folder}/cached; cat ${folder}/cached > /dev/null; sleep 1000`,
      parent,
    );
    await cli.limitMemory(150 * MB);
    cli.child.stdin.write("go\n");
    await expect.poll(() => existsSync(join(folder, "cached"))).toBe(true);
    await expect.poll(() => cli.countProcesses(), { timeout: 20_000 }).toBe(2);
    expect(cli.ranOutOfMemoryBy()).toBeUndefined();
    expect(await cli.measureBytes()).toBeLessThan(50 * MB);
    expect(await groups()).toHaveLength(1);
    await cli.end(0);
    expect(await groups()).toEqual([]);
  });

  test.runIf(parent)("ends what is in the group, whatever it did to leave", async () => {
    const seconds = `36${process.pid}`;
    start(`read -r line; env -i setsid sh -c '(sleep ${seconds} &) ; exit' ; echo left; sleep 1000`, parent);
    await cli.limitMemory(150 * MB);
    cli.child.stdin.write("go\n");
    await expect.poll(() => processesWith(`sleep\0${seconds}`)).toHaveLength(1);
    await cli.end(0);
    expect(await processesWith(`sleep\0${seconds}`)).toEqual([]);
  });
});

let mark: string;

function start(script: string, groupParent?: GroupParent): void {
  mark = `${randomUUID()}.1.`;
  const { signal } = new AbortController();
  const env = { PATH: process.env["PATH"] };
  cli = spawnCli({ command: "sh", args: ["-c", script], cwd: folder, env, signal }, { mark, groupParent });
  cli.child.stdout.resume();
}

async function groups(): Promise<readonly string[]> {
  return (await readdir(parent?.path ?? "/nowhere")).filter((name) => name.includes(mark));
}

async function usableParent(): Promise<GroupParent | undefined> {
  const found = await findGroupParent();
  const group = found && createMemoryGroup(found, randomUUID());
  await group?.remove();
  return group && found;
}
