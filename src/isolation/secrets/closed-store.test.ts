import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Workspace } from "../../workspace/index.ts";
import { closedStore } from "./closed-store.ts";

let root: string;
let home: string;

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "skein-test-")));
  home = join(root, "home");
});

afterEach(() => rm(root, { recursive: true, force: true }));

test("all of the data folder is closed, but for what the CLI keeps there offline", async () => {
  await mkdir(join(home, "offline"), { recursive: true });
  await mkdir(join(home, "transcripts"));
  await using workspace = await Workspace.open(join(root, "app"), { home });
  expect(await closedStore(workspace.path, { home })).toEqual([join(home, "transcripts"), join(home, "workspaces")]);
  expect(await closedStore(workspace.path, { home: join(root, "none") })).toEqual([]);
});

test("a branch is open with the objects that it borrows, and neither its own store's records nor another's are", async () => {
  await using workspace = await Workspace.open(join(root, "app"), { home });
  await writeFile(join(workspace.path, "file"), "content");
  await using other = await Workspace.open(join(root, "other"), { home });
  const { id: snapshotId } = await workspace.snapshot();
  const files = new Map([["state.json", "{}"]]);
  const recorded = { snapshotId, files, session: new Map(), message: "recorded", recordedAtMs: 0 };
  await using branch = await workspace.branch((await workspace.states.write(recorded)).id);
  const objects = join(workspace.gitDirectory, "objects");
  for (const closed of [
    await closedStore(branch.path, { home }),
    await closedStore(workspace.path, { home, inBranches: true }),
  ]) {
    expect(closed).toContain(other.home);
    expect(closed).toContain(join(workspace.home, "workspace.json"));
    expect(closed).toContain(join(workspace.gitDirectory, "config"));
    const covers = (path: string): boolean => closed.some((one) => path === one || path.startsWith(`${one}/`));
    expect([branch.path, objects].map(covers)).toEqual([false, false]);
  }
});
