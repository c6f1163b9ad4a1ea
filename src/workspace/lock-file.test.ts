import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { takeLock } from "./lock-file.ts";

let root: string;
let path: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "skein-lock-"));
  path = join(root, "lock");
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

describe("a lock file", () => {
  it("is held by one at a time", async () => {
    const order: string[] = [];
    const work = async (name: string): Promise<void> => {
      await using _ = await takeLock(path);
      order.push(`${name} begins`);
      await Promise.resolve();
      order.push(`${name} ends`);
    };
    await Promise.all([work("a"), work("b"), work("c")]);
    for (let index = 0; index < order.length; index += 2) {
      expect(order[index + 1]).toBe(order[index]?.replace("begins", "ends"));
    }
    expect(existsSync(path)).toBe(false);
  });

  it("is taken over from a process that is gone, or whose pid is another's now", async () => {
    for (const holder of [
      { pid: 2 ** 22 + 1, startTime: "1" },
      { pid: process.pid, startTime: "another time" },
      "nonsense",
    ]) {
      writeFileSync(path, JSON.stringify(holder));
      await using lock = await takeLock(path);
      expect(lock.tookOver).toBe(true);
    }
  });

  it("is given up on after a while, with the holder's name", async () => {
    await using _ = await takeLock(path);
    await expect(takeLock(path, { waitMs: 0 })).rejects.toMatchObject({
      kind: "timeout",
      retryable: true,
      message: `The snapshot store is in use by process ${process.pid}`,
    });
  });
});
