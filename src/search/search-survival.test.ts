import { spawn, type ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "skein-search-"));
  path = join(folder, "search.jsonl");
});
afterEach(async () => await rm(folder, { recursive: true }));

interface Host {
  readonly child: ChildProcessByStdio<null, Readable, null>;
  lines(): readonly string[];
}

function startHost(file: string, delayMs: number): Host {
  const options = { path: file, delayMs, depth: 3, rolloutDepth: 1, iterations: 12, seed: 3, concurrency: 1 };
  const child = spawn(process.execPath, ["test/support/search-host.mjs", JSON.stringify(options)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => void (text += chunk));
  return { child, lines: () => text.split("\n").slice(0, -1) };
}

async function runHost(file: string): Promise<readonly string[]> {
  const host = startHost(file, 0);
  await once(host.child, "close");
  return host.lines();
}

describe("a search that is killed with SIGKILL", () => {
  it("goes on where it was: what it had finished is not run again, and it comes to the same end", async () => {
    const killed = startHost(path, 30);
    await vi.waitFor(() => expect(killed.lines().length).toBeGreaterThanOrEqual(5), { timeout: 20_000 });
    killed.child.kill("SIGKILL");
    await once(killed.child, "close");
    const finished = (await readFile(path, "utf8")).split("\n").length - 1;
    expect(finished).toBeGreaterThanOrEqual(killed.lines().length);

    const whole = await runHost(join(folder, "other.jsonl"));
    const continued = await runHost(path);
    expect(continued.filter((line) => line === "reused").length).toBe(finished);
    expect(continued.length).toBe(whole.length);
    expect(continued.at(-1)).toBe(whole.at(-1));
    expect((await runHost(path)).filter((line) => line === "explored")).toEqual([]);
  });
});
