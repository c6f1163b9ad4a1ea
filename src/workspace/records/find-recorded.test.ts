import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { Workspace } from "../workspace.ts";
import { findRecorded } from "./find-recorded.ts";

let root: string;
let home: string;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "skein-find-recorded-")));
  home = join(root, "data");
});

afterEach(() => rmSync(root, { recursive: true, force: true, maxRetries: 9 }));

it("finds the nearest recorded workspace at or above a folder, by its real path", async () => {
  const outer = await recorded("outer");
  const inner = await recorded("outer/inner");
  symlinkSync(folder("outer/inner/deep/er"), join(root, "link"));
  const found = ["outer", "outer/beside", "outer/inner", "outer/inner/deep/er", "link", "elsewhere"].map(find);
  expect(await Promise.all(found)).toEqual([outer, outer, inner, inner, inner, undefined]);
});

it("looks no further than the top of a repository, the folders below the person's own, and its bounds", async () => {
  const top = await recorded("top");
  folder("top/repository/.git");
  writeFileSync(join(folder("top/submodule"), ".git"), "gitdir: elsewhere\n");
  const bounds = { root: folder("top/bounds") };
  expect([
    await find("top/repository/src"),
    await find("top/submodule"),
    await findRecorded(folder("top/person/project"), { home, userHome: folder("top/person") }),
    await findRecorded(folder("top/bounds/project"), { home, ...bounds }),
    await findRecorded(folder("top/project"), { home, userHome: join(root, "nobody") }),
  ]).toEqual([undefined, undefined, undefined, undefined, top]);
  const repository = await recorded("top/repository");
  const person = await recorded("top/person");
  expect([
    await find("top/repository/src"),
    await findRecorded(person, { home, userHome: person }),
    await findRecorded(folder("top/person/project"), { home, userHome: person }),
  ]).toEqual([repository, person, undefined]);
});

it("passes over a store that was only begun, and takes a branch for the workspace that it is", async () => {
  const outer = await recorded("outer");
  await using begun = await Workspace.open(folder("outer/begun"), { home });
  await begun.snapshot();
  await using workspace = await Workspace.open(outer, { home });
  const state = [...(await workspace.states.checkpoints()).values()][0] ?? "";
  await using branch = await workspace.branch(state, join(outer, "branch"));
  expect(await Promise.all(["outer/begun", "outer/branch/deep"].map(find))).toEqual([outer, branch.path]);
});

function folder(path: string): string {
  mkdirSync(join(root, path), { recursive: true });
  return join(root, path);
}

function find(path: string): Promise<string | undefined> {
  return findRecorded(path === "link" ? join(root, path) : folder(path), { home });
}

async function recorded(path: string): Promise<string> {
  await using workspace = await Workspace.open(folder(path), { home });
  const { id } = await workspace.snapshot();
  const files = new Map([["state.json", "{}"]]);
  const state = { snapshotId: id, files, session: new Map(), message: "a state", recordedAtMs: 0 };
  await workspace.states.setCheckpoint("here", (await workspace.states.write(state)).id);
  return workspace.path;
}
