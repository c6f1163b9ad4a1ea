import { mkdir, mkdtemp, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { setImmediate } from "node:timers/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { systemClock } from "../core/internal.ts";
import { createFakeClock } from "../testing/index.ts";
import { runGit } from "./run-git.ts";
import { untilUnlocked, updateRef } from "./refs.ts";

it("does not wait for a lock that is dated into the future longer than for another", async () => {
  const folder = await mkdtemp(join(tmpdir(), "skein-ref-"));
  const ref = "refs/skein/conversations/one";
  await mkdir(join(folder, "refs/skein/conversations"), { recursive: true });
  const lock = join(folder, `${ref}.lock`);
  await writeFile(lock, "");
  const clock = createFakeClock(Date.now());
  const future = new Date(clock.now() + 3_600_000);
  await utimes(lock, future, future);
  const moved = updateRef(folder, ref, { to: "a".repeat(40), clock });
  let end: boolean | undefined;
  while (end === undefined) {
    clock.advance(1000);
    end = await Promise.race([moved, setImmediate(undefined)]);
  }
  expect(end).toBe(true);
  expect(await readFile(join(folder, ref), "utf8")).toBe(`${"a".repeat(40)}\n`);
  await rm(folder, { recursive: true });
});

it("has git wait for a lock that a dead one left, until that is old, and not where there is none", async () => {
  const folder = await mkdtemp(join(tmpdir(), "skein-ref-"));
  await runGit({ gitDirectory: folder, args: ["init", "--quiet", "--bare", folder] });
  const ref = "refs/skein/checkpoints/one";
  await mkdir(join(folder, "refs/skein/checkpoints"), { recursive: true });
  const pointAt = (id: string): Promise<void> =>
    untilUnlocked(folder, systemClock, async () => {
      await runGit({ gitDirectory: folder, args: ["update-ref", ref, id] });
    });
  await expect(pointAt("a".repeat(40))).rejects.toMatchObject({ kind: "process" });
  const blob = await runGit({ gitDirectory: folder, args: ["hash-object", "-w", "--stdin"], input: "x" });
  const lock = join(folder, `${ref}.lock`);
  await writeFile(lock, "");
  const almostOld = new Date(Date.now() - 9700);
  await utimes(lock, almostOld, almostOld);
  await pointAt(blob.toString().trim());
  expect(await readFile(join(folder, ref), "utf8")).toBe(blob.toString());
  await rm(folder, { recursive: true });
});
