import { execFileSync } from "node:child_process";
import { mkdtemp, readdir, readFile, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Clock } from "../../src/core/index.ts";
import { systemClock } from "../../src/core/internal.ts";
import { collectGarbage, Conversation, TraceIndex, verifyWorkspace } from "../../src/trace/index.ts";
import { createFakeEngine } from "../../src/testing/index.ts";
import { Workspace } from "../../src/workspace/index.ts";
import { startTraceChaos, type ChaosOrder, type ToldState } from "../support/start-trace-chaos.ts";

const KILLS = 100;

/** What is left behind is removed once it cannot be anybody's any more. */
const LATER: Clock = { ...systemClock, now: () => systemClock.now() + 60_000 };

let root: string;
let directory: string;
let home: string;

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "skein-trace-chaos-")));
  [directory, home] = [await mkdtemp(join(root, "w-")), await mkdtemp(join(root, "home-"))];
});

afterEach(async () => {
  // A host that is killed as it tries what the kernel can mount may leave that mount.
  const mounts = (await readFile("/proc/self/mounts", "utf8")).split("\n").map((line) => line.split(" ")[1] ?? "");
  for (const path of mounts.filter((each) => each.startsWith(root))) execFileSync("umount", ["--lazy", path]);
  await rm(root, { recursive: true, force: true, maxRetries: 9 });
});

/** Has a worker run, and kills it some time after it is ready; gives what it had told. */
async function runAndKill(
  order: Omit<ChaosOrder, "directory" | "home">,
  afterMs: number,
): Promise<readonly ToldState[]> {
  const worker = startTraceChaos({ directory, home, ...order });
  await worker.ready;
  // Not a wait for something to be done: each death comes at another point of the work.
  await new Promise((resolve) => setTimeout(resolve, afterMs));
  worker.process.kill("SIGKILL");
  await worker.ended;
  expect(worker.errors).toEqual([]);
  return worker.told;
}

async function expectThere(workspace: Workspace, told: readonly ToldState[]): Promise<void> {
  for (const { stateId, file, content } of told) {
    expect((await workspace.read(stateId, file)).toString()).toBe(content);
  }
}

/** What processes that were killed leave, and somebody has to take away. */
async function remains(workspace: Workspace): Promise<readonly string[]> {
  const found = await readdir(workspace.home, { recursive: true });
  return found.filter((path) => /^(?:journals|branches)\/|\.lock|refs\/skein\/turns\/.|tmp_(?!obj)/u.test(path));
}

test("a workspace is sound after its host was killed at a hundred points, and all that was told is there", async () => {
  const told: ToldState[] = [];
  for (let kill = 0; kill < KILLS; kill += 1) {
    const known = told.slice(-30).map(({ stateId }) => stateId);
    const added = await runAndKill({ seed: kill + 1, known }, (kill * 53) % 700);
    told.push(...added);
    if (kill % 10 !== 9) continue;
    await using workspace = await Workspace.open(directory, { home });
    expect((await verifyWorkspace(workspace)).problems).toEqual([]);
    await expectThere(workspace, added);
  }
  await using workspace = await Workspace.open(directory, { home, clock: LATER });
  if (await workspace.halfRestore()) await workspace.recoverRestore("finish");
  await using conversation = await Conversation.start(workspace, { engine: createFakeEngine(() => "fine") });
  await conversation.send("after all");
  await collectGarbage(workspace);
  expect(await remains(workspace)).toEqual([]);
  const { states, problems } = await verifyWorkspace(workspace);
  expect(problems).toEqual([]);
  expect(states).toBeGreaterThan(told.length);
  await expectThere(workspace, told);
  await using index = await TraceIndex.open(workspace);
  const indexed = new Set((await index.query({ kind: "turn" })).map(({ id }) => id));
  expect(told.filter(({ stateId }) => !indexed.has(stateId))).toEqual([]);
}, 300_000);
