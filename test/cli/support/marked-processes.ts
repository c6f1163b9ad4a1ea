import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, vi } from "vitest";

const execute = promisify(execFile);

/** Waits until no process has the mark in its command line or environment any more. */
export async function expectNoProcessWith(mark: string): Promise<void> {
  await vi.waitFor(async () => expect(await processesWith(mark)).toEqual([]), { timeout: 10_000, interval: 50 });
}

async function processesWith(mark: string): Promise<string[]> {
  const { stdout } = await execute("ps", ["axeww", "-o", "pid=,stat=,command="], { maxBuffer: 64 * 1024 * 1024 });
  return stdout.split("\n").filter((line) => line.includes(mark) && !/^\s*\d+\s+Z/u.test(line));
}
