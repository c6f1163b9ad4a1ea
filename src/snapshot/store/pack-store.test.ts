import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { systemClock } from "../../core/internal.ts";
import { Workspace } from "../../workspace/index.ts";
import { createAttempts, oldSnapshots, pruneStore } from "../../workspace/internal.ts";

const DAY_MS = 86_400_000;
const LATER = { ...systemClock, now: () => systemClock.now() + 20 * DAY_MS };

let root: string;
let directory: string;
let home: string;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "skein-pack-refs-")));
  [directory, home] = [join(root, "workspace"), join(root, "home")];
});

afterEach(() => rmSync(root, { recursive: true, force: true, maxRetries: 9 }));

it("makes one file of many refs, which all stay, move and go as before", async () => {
  const { state, gitDirectory } = await makeMany(400);
  expect(readdirSync(join(gitDirectory, "refs/skein")).filter((name) => looseBelow(gitDirectory, name) > 0)).toEqual(
    [],
  );
  await using workspace = await Workspace.open(directory, { home });
  expect((await workspace.states.conversations()).size).toBe(400);
  expect(await workspace.states.tip("talk-7")).toBe(state);
  expect(await workspace.states.moveTip("talk-7", { from: undefined, to: state })).toBe(false);
  expect(await workspace.states.moveTip("talk-7", { from: state, to: state })).toBe(true);
  expect(await workspace.states.removeConversation("talk-8")).toBe(true);
  await workspace.states.setCheckpoint("point", state);
  expect(await workspace.states.removeCheckpoint("point")).toBe(true);
  expect([...(await workspace.states.checkpoints()).keys()]).toEqual([]);
  expect((await workspace.states.conversations()).size).toBe(399);
});

it("keeps the age of a snapshot, and one that is taken again is young", async () => {
  await makeMany(400);
  await using workspace = await Workspace.open(directory, { home, clock: LATER });
  rmSync(join(workspace.home, "memory"), { recursive: true });
  const old = await oldSnapshots(workspace, 14 * DAY_MS);
  expect(old).toHaveLength(2);
  const { id } = await workspace.snapshot();
  expect(await oldSnapshots(workspace, 14 * DAY_MS)).toEqual(old.filter((ref) => !ref.endsWith(id)));
  const attempts = createAttempts(workspace.home);
  expect(await pruneStore(workspace, { refs: old.filter((ref) => !ref.endsWith(id)), isTight: false, attempts })).toBe(
    true,
  );
  expect(await oldSnapshots(workspace, 0)).toEqual([]);
  expect(existsSync(join(workspace.gitDirectory, "refs/skein/snapshots", id))).toBe(true);
});

/** Two snapshots, and so many conversations at one state. */
async function makeMany(count: number): Promise<{ readonly state: string; readonly gitDirectory: string }> {
  await using workspace = await Workspace.open(directory, { home });
  await workspace.snapshot();
  writeFileSync(join(directory, "file"), "content");
  const { id } = await workspace.snapshot();
  const files = new Map([["state.json", "{}"]]);
  const state = { snapshotId: id, files, session: new Map(), message: "a state", recordedAtMs: Date.now() };
  const written = (await workspace.states.write(state)).id;
  const input = Array.from(
    { length: count },
    (_, at) => `create refs/skein/conversations/talk-${at} ${written}\n`,
  ).join("");
  execFileSync("git", ["update-ref", "--stdin"], { cwd: workspace.gitDirectory, input });
  return { state: written, gitDirectory: workspace.gitDirectory };
}

function looseBelow(gitDirectory: string, name: string): number {
  return readdirSync(join(gitDirectory, "refs/skein", name)).length;
}
