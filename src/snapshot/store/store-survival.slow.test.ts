import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createGitSnapshotStore } from "../git-snapshot-store.ts";

// Other processes run the built package: `npm test` builds it first.
const BUILT = new URL("../../../dist/workspace/index.js", import.meta.url).href;

let root: string;
let directory: string;
let home: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "skein-survival-"));
  directory = join(root, "workspace");
  home = join(root, "home");
  mkdirSync(directory);
});

afterEach(() => rmSync(root, { recursive: true, force: true, maxRetries: 9 }));

describe("the store", () => {
  it("serves several processes at once, none of which fails", async () => {
    fill(200, "first");
    const script = `
      for (let round = 0; round < 5; round += 1) {
        writeFileSync(join(directory, "own-" + process.pid), String(round));
        const { id } = await store.capture(directory);
        console.log(id);
      }`;
    const ends = await Promise.all(Array.from({ length: 4 }, () => ended(start(script))));
    expect(ends.map(({ code, stderr }) => [code, stderr])).toEqual(Array.from({ length: 4 }, () => [0, ""]));
    await using store = await open();
    expect(await store.verify()).toEqual([]);
    const ids = ends.flatMap(({ stdout }) => stdout.trim().split("\n"));
    expect(ids).toHaveLength(20);
    for (const id of new Set(ids)) expect((await store.read(id, "file-7")).toString()).toContain("first");
  });

  it("is sound after its process was killed at any point, and every snapshot it gave is whole", async () => {
    fill(150, "first");
    const script = `
      for (let round = 0; ; round += 1) {
        for (let index = 0; index < 150; index += 3) writeFileSync(join(directory, "file-" + index), "round " + round + " " + index);
        const { id } = await store.capture(directory);
        console.log(id);
        if (round % 2 === 1) await store.restore(id, directory);
        if (round % 3 === 2) await store.restore(first, directory);
      }`;
    for (let kill = 0; kill < 8; kill += 1) {
      const child = start(script);
      const output = collect(child);
      await once(child.stdout as NodeJS.ReadableStream, "data");
      // Not a wait for something to be done: each death comes at another point of the work.
      await new Promise((resolve) => setTimeout(resolve, 37 * kill));
      child.kill("SIGKILL");
      await once(child, "close");
      await using store = await open();
      const latest = await store.capture(directory);
      expect(await store.verify()).toEqual([]);
      for (const id of output()
        .trim()
        .split("\n")
        .filter((line) => line.length === 40)) {
        await store.diff(id, latest.id);
      }
      const first = output().split("\n")[0] ?? "";
      await store.restore(first, directory);
      expect((await store.capture(directory)).id).toBe(first);
    }
    await using store = await open();
    writeFileSync(join(directory, "one-more"), "so that something is written");
    await store.capture(directory);
    expect(remains()).toEqual([]);
  });

  it("tells a full disk by its kind and keeps what it had", async (test) => {
    const small = join(root, "small");
    mkdirSync(small);
    try {
      execFileSync("mount", ["-t", "tmpfs", "-o", "size=3m", "tmpfs", small], { stdio: "ignore" });
    } catch {
      return test.skip("a small disk can only be made by root, where mounts are allowed");
    }
    try {
      await using store = await createGitSnapshotStore({ workspace: directory, home: small });
      writeFileSync(join(directory, "file"), "fits");
      const { id } = await store.capture(directory);
      writeFileSync(join(directory, "large"), noise(6_000_000));
      await expect(store.capture(directory)).rejects.toMatchObject({ kind: "resource_exhausted", resource: "disk" });
      expect(await store.verify()).toEqual([]);
      rmSync(join(directory, "large"));
      writeFileSync(join(directory, "file"), "fits too");
      await store.restore(id, directory);
      expect((await store.capture(directory)).id).toBe(id);
    } finally {
      execFileSync("umount", ["--lazy", small]);
    }
  });

  it("forgets what it remembered of a directory when that is damaged, and finds the same id", async () => {
    fill(20, "first");
    const ids: string[] = [];
    for (let round = 0; round < 2; round += 1) {
      const store = await open();
      ids.push((await store.capture(directory)).id);
      await store.close();
      const [key = ""] = readdirSync(join(home, "workspaces"));
      const memory = join(home, "workspaces", key, "memory");
      for (const name of readdirSync(memory)) writeFileSync(join(memory, name), "skein-memory 2 nonsense\n{}");
    }
    expect(new Set(ids).size).toBe(1);
  });
});

function open(): ReturnType<typeof createGitSnapshotStore> {
  return createGitSnapshotStore({ workspace: directory, home });
}

function fill(count: number, text: string): void {
  for (let index = 0; index < count; index += 1) writeFileSync(join(directory, `file-${index}`), `${text} ${index}\n`);
}

function noise(size: number): Buffer {
  const bytes = Buffer.alloc(size);
  for (let index = 0, seed = 1; index < size; index += 1) bytes[index] = (seed = (seed * 48_271) % 2_147_483_647) & 255;
  return bytes;
}

/** What a git that was killed leaves half written. */
function remains(): readonly string[] {
  const found = readdirSync(join(home, "workspaces"), { recursive: true, encoding: "utf8" });
  return found.filter((path) => /tmp_pack|\.lock$|fast_import_crash/.test(path));
}

function start(body: string): ChildProcess {
  if (!existsSync(new URL(BUILT))) throw new Error("Build the package first: npm run build");
  const script = `
    import { writeFileSync } from "node:fs";
    import { join } from "node:path";
    import { createGitSnapshotStore } from ${JSON.stringify(BUILT)};
    const [directory, home] = ${JSON.stringify([directory, home])};
    const store = await createGitSnapshotStore({ workspace: directory, home });
    const { id: first } = await store.capture(directory);
    ${body}
    await store.close();`;
  return spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: ["ignore", "pipe", "pipe"] });
}

function collect(child: ChildProcess): () => string {
  let text = "";
  child.stdout?.on("data", (chunk: Buffer) => (text += chunk.toString("utf8")));
  return () => text;
}

async function ended(child: ChildProcess): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const stdout = collect(child);
  let stderr = "";
  child.stderr?.on("data", (chunk: Buffer) => (stderr += chunk.toString("utf8")));
  const [code] = (await once(child, "close")) as [number | null];
  return { code, stdout: stdout(), stderr };
}
