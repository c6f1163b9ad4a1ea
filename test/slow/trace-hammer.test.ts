import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { TraceIndex, verifyWorkspace } from "../../src/trace/index.ts";
import { Workspace } from "../../src/workspace/index.ts";
import { startTraceChaos } from "../support/start-trace-chaos.ts";

let root: string;

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "skein-hammer-")));
});

afterEach(() => rm(root, { recursive: true, force: true, maxRetries: 9 }));

test("processes that work on one workspace at once, in it and in branches, with checkpoints and gc, spoil nothing", async () => {
  const [directory, home] = [join(root, "w"), join(root, "home")];
  await mkdir(directory);
  const workers = [1, 2, 3].map((seed) => startTraceChaos({ directory, home, seed: seed * 7919, rounds: 40 }));
  await Promise.all(workers.map(({ ended }) => ended));
  expect(workers.flatMap(({ errors }) => errors)).toEqual([]);
  const told = workers.flatMap((worker) => worker.told);
  expect(told.length).toBeGreaterThan(60);

  await using workspace = await Workspace.open(directory, { home });
  expect((await verifyWorkspace(workspace)).problems).toEqual([]);
  for (const { stateId, file, content } of told) {
    expect((await workspace.read(stateId, file)).toString()).toBe(content);
  }
  await using index = await TraceIndex.open(workspace);
  const indexed = (await index.query({ kind: "turn" })).map(({ id }) => id);
  expect(indexed.toSorted()).toEqual(told.map(({ stateId }) => stateId).toSorted());
}, 200_000);
