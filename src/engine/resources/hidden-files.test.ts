import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { statfsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeWith } from "../../../test/support/require-package.ts";
import { findFamily } from "../processes/process-family.ts";
import { measureHidden } from "./hidden-files.ts";

const PACKAGES = [
  { command: "unshare", package: "util-linux" },
  { command: "python3", package: "python3" },
];

const MB = 1024 ** 2;

/** A removed file is in memory where the folder for temporary files is. */
const TMPFS = 0x01021994;
const IN_FOLDER = statfsSync(tmpdir()).type === TMPFS ? 20 : 0;

let folder: string;
const running: ChildProcess[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "skein-hidden-"));
});

afterAll(async () => {
  for (const { pid = 0 } of running) process.kill(-pid, "SIGKILL");
  await rm(folder, { recursive: true, force: true });
});

describeWith(PACKAGES, "what processes hold where no folder shows it", () => {
  test.each<readonly [name: string, script: string, files: number, memory: number]>([
    ["a file with a name is not hidden", "head -c 20M /dev/zero > named; exec 3< named; echo ready; sleep 1000", 0, 0],
    [
      "a file that was removed while open",
      "head -c 20M /dev/zero > gone; exec 3<> gone; rm gone; echo ready; sleep 1000",
      20,
      IN_FOLDER,
    ],
    [
      "one that two processes hold counts once",
      "head -c 20M /dev/zero > gone; exec 3<> gone; rm gone; env -i sleep 1000 & echo ready; sleep 1000",
      20,
      IN_FOLDER,
    ],
    [
      "a file system in memory of its own",
      "exec unshare -Urm sh -c 'mount -t tmpfs none /dev/shm; head -c 20M /dev/zero > /dev/shm/x; echo ready; sleep 1000'",
      20,
      20,
    ],
    [
      "one that something is mounted over, in which it stands",
      "exec unshare -Urm sh -c 'mount -t tmpfs none /dev/shm; cd /dev/shm; head -c 20M /dev/zero > x; mount -t tmpfs none /dev/shm; echo ready; sleep 1000'",
      20,
      20,
    ],
    [
      "one that was taken out of the tree, and is held by an open file",
      "exec unshare -Urm sh -c 'mount -t tmpfs none /dev/shm; head -c 20M /dev/zero > /dev/shm/x; exec 3< /dev/shm/x; umount -l /dev/shm; echo ready; sleep 1000'",
      20,
      20,
    ],
    [
      "memory that was made as a file",
      `exec python3 -c 'import os, time; fd = os.memfd_create("x"); os.write(fd, b"x" * ${20 * MB}); print("ready", flush=True); time.sleep(1000)'`,
      0,
      20,
    ],
  ])("%s", async (_, script, files, memory) => {
    const child = spawn("sh", ["-c", script], { cwd: folder, detached: true, stdio: ["ignore", "pipe", "inherit"] });
    running.push(child);
    await once(child.stdout, "data");
    const hidden = await measureHidden(await findFamily(child.pid, "no mark"));
    expect({ files: hidden.files / MB, memory: hidden.memory / MB }).toEqual({
      files: expect.closeTo(files, 0) as number,
      memory: expect.closeTo(memory, 0) as number,
    });
  });
});
