import { execFileSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { workspaceKey } from "../../snapshot/index.ts";
import { Workspace } from "../workspace.ts";
import { findLostRecords } from "./find-records.ts";
import { relinkWorkspace } from "./relink-workspace.ts";

let root: string;
let home: string;
let old: string;
let moved: string;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "skein-relink-")));
  [home, old, moved] = [join(root, "home"), join(root, "old"), join(root, "new place")];
  mkdirSync(old);
  writeFileSync(join(old, "a.txt"), "one\n");
});

afterEach(() => rmSync(root, { recursive: true, force: true, maxRetries: 9 }));

describe("a record whose directory was moved", () => {
  it("is found by the directory itself, and attached with its states, branches and what was cut off", async () => {
    makeRepository(old);
    const [elsewhere, inside] = [join(root, "elsewhere"), "branches/inside"];
    let stateId = "";
    {
      await using workspace = await Workspace.open(old, { home });
      stateId = await record(workspace);
      for (const path of [elsewhere, join(old, inside)]) await (await workspace.branch(stateId, path)).close();
      mkdirSync(join(workspace.home, "journals"));
      writeFileSync(join(workspace.home, "journals/x.cut.jsonl"), `${JSON.stringify({ directory: old })}\n{}\nhalf`);
    }
    renameSync(old, moved);
    expect(await findLostRecords(moved, home)).toMatchObject([{ path: old, fit: "directory" }]);
    expect(await relinkWorkspace(moved, { home })).toEqual({ directory: moved, from: old, fit: "directory" });
    expect(await relinkWorkspace(moved, { home, from: old })).toEqual({ directory: moved, from: old, fit: "attached" });
    await using again = await Workspace.open(moved, { home });
    expect((await again.states.head())?.stateId).toBe(stateId);
    expect(await again.snapshots.verify()).toEqual([]);
    const journal = readFileSync(join(again.home, "journals/x.cut.jsonl"), "utf8");
    expect(journal).toBe(`${JSON.stringify({ directory: moved })}\n{}\nhalf`);
    for (const path of [elsewhere, join(moved, inside)]) {
      await using branch = await Workspace.open(path, { home });
      expect([branch.origin, (await branch.states.head())?.stateId]).toEqual([moved, stateId]);
      expect(git(path, "log", "--format=%s")).toBe("one\n");
    }
    expect(existsSync(join(home, "workspaces", workspaceKey(join(old, inside))))).toBe(false);
  });

  it("is attached where an empty record was made in the meantime, and not where anything was recorded", async () => {
    await recordIn(old);
    renameSync(old, moved);
    await (await Workspace.open(moved, { home })).close();
    const other = join(root, "other");
    mkdirSync(other);
    await recordIn(other);
    await expect(relinkWorkspace(other, { home, from: old })).rejects.toMatchObject({ kind: "usage", target: other });
    expect(await relinkWorkspace(moved, { home })).toMatchObject({ from: old });
    expect(workspaces()).toEqual([workspaceKey(moved), workspaceKey(other)].toSorted());
  });

  it("is found where a link was left at the old place", async () => {
    await recordIn(old);
    renameSync(old, moved);
    symlinkSync(moved, old);
    expect(await relinkWorkspace(old, { home })).toEqual({ directory: moved, from: old, fit: "directory" });
  });

  it("is attached by name where something else stands at the old place, for the directory itself proves the move", async () => {
    await recordIn(old);
    renameSync(old, moved);
    mkdirSync(old);
    expect(await findLostRecords(moved, home)).toEqual([]);
    expect(await relinkWorkspace(moved, { home, from: old })).toMatchObject({ fit: "directory" });
  });

  it("of a branch is found too, and stays a branch", async () => {
    const branch = join(root, "branch");
    let stateId = "";
    {
      await using workspace = await Workspace.open(old, { home });
      stateId = await record(workspace);
      await (await workspace.branch(stateId, branch)).close();
    }
    renameSync(branch, moved);
    expect(await relinkWorkspace(moved, { home })).toMatchObject({ from: branch, fit: "directory" });
    await using again = await Workspace.open(moved, { home });
    expect([again.origin, (await again.states.head())?.stateId]).toEqual([old, stateId]);
  });

  it("is not attached while a turn runs in it, under whatever name", async () => {
    await using workspace = await Workspace.open(old, { home });
    await record(workspace);
    const held = await workspace.claim();
    renameSync(old, moved);
    // Locks belong to the process: another one asks.
    const script = `import { relinkWorkspace } from ${JSON.stringify(join(process.cwd(), "dist/workspace/internal.js"))};
      await relinkWorkspace(${JSON.stringify(moved)}, { home: ${JSON.stringify(home)} }).catch((e) => console.log(e.kind));`;
    expect(execFileSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" })).toBe(
      "workspace_busy\n",
    );
    await held[Symbol.asyncDispose]();
    expect(await relinkWorkspace(moved, { home })).toMatchObject({ from: old });
  });

  it.each([false, true])(
    "is attached by the next relink where one was cut off, an empty record there: %s",
    async (isThere) => {
      await recordIn(old);
      renameSync(old, moved);
      const path = join(home, "workspaces", workspaceKey(old), "workspace.json");
      const file = JSON.parse(readFileSync(path, "utf8")) as object;
      // The description says first whose the record will be; the folder is renamed last.
      writeFileSync(path, JSON.stringify({ ...file, path: moved, movedFrom: old }));
      if (isThere) await (await Workspace.open(moved, { home })).close();
      expect(await relinkWorkspace(moved, { home })).toEqual({ directory: moved, from: old, fit: "begun" });
      expect(workspaces()).toEqual([workspaceKey(moved)]);
      await using again = await Workspace.open(moved, { home });
      expect(await again.states.head()).toBeDefined();
    },
  );
});

describe("a copy", () => {
  it("has no part in the record of an original that is there, and only by name in that of one that is gone", async () => {
    makeRepository(old);
    await recordIn(old);
    cpSync(old, moved, { recursive: true, preserveTimestamps: true });
    expect(await findLostRecords(moved, home)).toEqual([]);
    await expect(relinkWorkspace(moved, { home })).rejects.toMatchObject({ kind: "state_not_found" });
    await expect(relinkWorkspace(moved, { home, from: old })).rejects.toMatchObject({ kind: "usage", target: old });
    rmSync(old, { recursive: true });
    expect(await findLostRecords(moved, home)).toMatchObject([{ path: old, fit: "repository" }]);
    await expect(relinkWorkspace(moved, { home })).rejects.toMatchObject({ kind: "usage" });
    expect(await relinkWorkspace(moved, { home, from: old })).toMatchObject({ fit: "repository" });
  });

  it("of which several fit has them listed, and takes the one that is named", async () => {
    makeRepository(old);
    for (const name of ["first", "second"]) {
      git(root, "clone", "--quiet", old, name);
      await recordIn(join(root, name));
      rmSync(join(root, name), { recursive: true });
    }
    git(root, "clone", "--quiet", old, moved);
    await expect(relinkWorkspace(moved, { home })).rejects.toMatchObject({
      kind: "usage",
      message: `The records of several may be that of ${moved}:\n  ${root}/first\n  ${root}/second`,
    });
    const nowhere = join(root, "nowhere");
    await expect(relinkWorkspace(moved, { home, from: nowhere })).rejects.toMatchObject({ kind: "state_not_found" });
    expect(await relinkWorkspace(moved, { home, from: join(root, "second") })).toMatchObject({ fit: "repository" });
  });

  it("without a repository on another disk is taken at its owner's word", async () => {
    await recordIn(old);
    cpSync(old, moved, { recursive: true });
    rmSync(old, { recursive: true });
    expect(await findLostRecords(moved, home)).toEqual([]);
    expect(await relinkWorkspace(moved, { home, from: old })).toEqual({ directory: moved, from: old });
  });
});

function workspaces(): readonly string[] {
  return readdirSync(join(home, "workspaces")).toSorted();
}

async function recordIn(directory: string): Promise<string> {
  await using workspace = await Workspace.open(directory, { home });
  return await record(workspace);
}

async function record(workspace: Workspace): Promise<string> {
  const { id } = await workspace.snapshot();
  const files = new Map([["state.json", "{}"]]);
  const state = { snapshotId: id, files, session: new Map(), message: "a state", recordedAtMs: Date.now() };
  const { id: stateId } = await workspace.states.write(state);
  await workspace.states.setHead({ stateId });
  return stateId;
}

function makeRepository(directory: string): void {
  git(directory, "init", "--quiet", "--initial-branch=main");
  git(directory, "add", "--all");
  git(directory, "-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "--quiet", "-m", "one");
}

function git(directory: string, ...args: readonly string[]): string {
  return execFileSync("git", args, { cwd: directory, encoding: "utf8" });
}
