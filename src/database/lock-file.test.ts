import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { connect } from "./connection.ts";
import { isLocked, takeLock, tryLock } from "./lock-file.ts";

const BUILT = new URL("../../dist/database/index.js", import.meta.url).href;

let root: string;
let path: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "skein-lock-"));
  path = join(root, "lock");
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

describe("a lock", () => {
  it("is held by one at a time, and leaves nothing behind", async () => {
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
    expect(readdirSync(root)).toEqual([]);
  });

  it("is free at once when its holder is killed, and says that the one before died", async () => {
    const holder = await startHolder();
    expect(await isLocked(path)).toBe(true);
    await expect(takeLock(path, { waitMs: 0 })).rejects.toMatchObject({
      kind: "timeout",
      retryable: true,
      message: `The store is in use by process ${holder.pid}`,
    });
    holder.kill("SIGKILL");
    await once(holder, "exit");
    expect(await isLocked(path)).toBe(false);
    await using lock = await takeLock(path, { waitMs: 0 });
    expect(lock.tookOver).toBe(true);
  });

  it("was let go of by whoever says nothing of a death", async () => {
    await (await takeLock(path))[Symbol.asyncDispose]();
    await using lock = await takeLock(path);
    expect(lock.tookOver).toBe(false);
  });

  it("is taken where the file holds something else", async () => {
    writeFileSync(path, JSON.stringify({ pid: 1, startTime: "from an earlier version" }).repeat(100));
    await using lock = await takeLock(path, { waitMs: 1000 });
    expect(lock).toBeDefined();
    expect(await tryLock(path)).toBeUndefined();
  });

  it("stays held while another connection to its file is opened and closed in the same process", async () => {
    await using _ = await takeLock(path);
    (await connect(path)).close();
    const other = spawnSync(process.execPath, ["--input-type=module", "-e", askScript()], { encoding: "utf8" });
    expect(other.stdout.trim()).toBe("true");
  });

  it("stays held by a process in which nothing refers to it any more", async () => {
    const holder = await startHolder(
      "--expose-gc",
      "for (let each = 0; each < 20; each += 1) { await new Promise(setImmediate); gc(); }",
    );
    expect(await isLocked(path)).toBe(true);
    holder.kill("SIGKILL");
    await once(holder, "exit");
  });

  it("is never held twice while holders are killed at random", async () => {
    const log = join(root, "log");
    writeFileSync(log, "");
    const workers = Array.from({ length: 6 }, () => startWorker(log));
    for (const worker of workers.slice(0, 5)) {
      const length = readFileSync(log).length;
      await expect.poll(() => readFileSync(log).length, { timeout: 20_000 }).toBeGreaterThan(length);
      worker.kill("SIGKILL");
      await once(worker, "exit");
    }
    workers[5]?.kill("SIGTERM");
    await once(workers[5]!, "exit");
    // Each writes that it begins and that it ends; a killed one may leave its end out, and nobody else's lies in between.
    const lines = readFileSync(log, "utf8").trim().split("\n");
    const overlaps = lines.filter(
      (line, index) => line.startsWith("end") && lines[index - 1] !== `begin${line.slice(3)}`,
    );
    expect(overlaps).toEqual([]);
    expect(lines.length).toBeGreaterThan(10);
  });
});

function askScript(): string {
  return `const { isLocked } = await import("${BUILT}"); console.log(await isLocked(${JSON.stringify(path)}));`;
}

async function startHolder(flag = "--no-warnings", then = "") {
  const script = `const { takeLock } = await import("${BUILT}"); await (async () => { await takeLock(${JSON.stringify(path)}); })(); ${then} console.log("held"); setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, [flag, "--input-type=module", "-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(child.stdout, "data");
  return child;
}

function startWorker(log: string) {
  const script = `
    import { appendFileSync } from "node:fs";
    const { takeLock } = await import("${BUILT}");
    for (let round = 0; ; round += 1) {
      const lock = await takeLock(${JSON.stringify(path)});
      appendFileSync(${JSON.stringify(log)}, "begin " + process.pid + " " + round + "\\n");
      await new Promise((resolve) => setTimeout(resolve, 2));
      appendFileSync(${JSON.stringify(log)}, "end " + process.pid + " " + round + "\\n");
      await lock[Symbol.asyncDispose]();
    }`;
  return spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: ["ignore", "ignore", "inherit"] });
}
