import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { detectMemoryLimiting } from "../../src/engine/internal.ts";
import { loadScenario } from "../../src/offline/index.ts";
import { startOfflineAgent, type OfflineAgent } from "../../src/testing/index.ts";
import { SandboxConfig } from "../../src/isolation/index.ts";
import { attack, bash, processesWith } from "../support/isolated-attack.ts";
import { describeWith } from "../support/require-package.ts";

const PACKAGES = [
  { command: "bwrap", package: "bubblewrap" },
  { command: "socat", package: "socat" },
  { command: "python3", package: "python3" },
];

/** More than the CLI itself needs, and less than what the attacks take. */
const MEMORY_BYTES = 900 * 1024 ** 2;
const TAKEN = 1500 * 1024 ** 2;

let agent: OfflineAgent;

beforeAll(async () => {
  agent = await startOfflineAgent(await loadScenario("direct"), { permissionMode: "bypassPermissions" });
});

afterAll(async () => {
  await agent.close();
});

describeWith(PACKAGES, "an isolated agent that uses up the machine", () => {
  test.each([
    ["an open file without a name", "exec 3<> ~/gone; rm ~/gone; head -c 100M /dev/zero >&3"],
    ["the sandbox's /dev/shm", "head -c 100M /dev/zero > /dev/shm/x"],
    ["the sandbox's /tmp", "head -c 100M /dev/zero > /tmp/x"],
    ["a device folder of the sandbox", "head -c 100M /dev/zero > /dev/x"],
  ])("is ended when it fills %s", async (_, fill) => {
    const mark = `mark-37${process.pid}`;
    const { result } = await attack(agent, [bash(`${fill}; tail -f /dev/null; : ${mark}`)], {
      sandbox: SandboxConfig({ maxDiskBytes: 20_000_000 }),
    });
    expect(result.error).toMatchObject({ kind: "resource_exhausted", resource: "disk" });
    expect(await processesWith(mark)).toEqual([]);
  });

  test.each([
    ["in one process", `python3 -c 'import time; x = b"x" * ${TAKEN}; time.sleep(1000)'`],
    [
      "in many processes without an environment",
      `for i in $(seq 30); do env -i setsid /usr/bin/env python3 -c 'import time; x = b"x" * ${Math.ceil(TAKEN / 30)}; time.sleep(1000)' & done; wait`,
    ],
    ["in /dev/shm", `head -c ${TAKEN} /dev/zero > /dev/shm/x; tail -f /dev/null`],
    [
      "in memory that is a file",
      `python3 -c 'import os, time; f = os.memfd_create("x"); [os.write(f, b"x" * 2**20) for _ in range(1500)]; time.sleep(1000)'`,
    ],
  ])("is ended when it takes memory %s", async (_, take) => {
    const mark = `mark-38${process.pid}`;
    const { result } = await attack(agent, [bash(`${take}; tail -f /dev/null; : ${mark}`)], {
      sandbox: SandboxConfig({ maxMemoryBytes: MEMORY_BYTES }),
    });
    expect(result.error).toMatchObject({
      kind: "resource_exhausted",
      resource: "memory",
      limitedBy: await detectMemoryLimiting(),
    });
    expect(await processesWith(mark)).toEqual([]);
  });

  test("is not ended for files that it reads and writes on the disk", async () => {
    const { attempts, result } = await attack(
      agent,
      [bash(`head -c ${TAKEN} /dev/zero > large; cat large | wc -c; rm large`)],
      { sandbox: SandboxConfig({ maxMemoryBytes: MEMORY_BYTES }) },
    );
    expect(result.isError).toBe(false);
    expect(attempts.map(({ output }) => output)).toEqual([String(TAKEN)]);
  });

  test.runIf(process.getuid?.() === 0)("an ordinary user's limits are held by looking", async () => {
    const { stdout } = await promisify(execFile)(process.execPath, ["test/support/limits-as-user.mjs"], {
      uid: 65_534,
      gid: 65_534,
    });
    expect(JSON.parse(stdout)).toEqual({ limitedBy: "samples", isPassed: true, isHiddenSeen: true });
  });
});
