import { mkdir, mkdtemp, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { setImmediate } from "node:timers/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createFakeClock } from "../testing/index.ts";
import { updateRef } from "./update-ref.ts";

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
