import { execFileSync } from "node:child_process";
import { cp, mkdir, readdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { relink } from "../../src/cli/commands/relink.ts";
import { workspaceKey } from "../../src/workspace/data-folder/workspace-file.ts";
import { relinkWorkspace, Workspace } from "../../src/workspace/index.ts";
import { commandsIn, tracedWorkspace, write } from "./support/traced-workspace.ts";

it(
  "finds a moved directory's record again, attaches it, and goes on as if nothing had happened",
  { timeout: 120_000 },
  async () => {
    const { cwd, home, data, skein, error, turn } = await tracedWorkspace();
    const first = await turn(write("a.txt", "one\n"));
    await data("checkpoint", "good");
    const moved = join(dirname(cwd), "moved here");
    await rename(cwd, moved);
    const there = commandsIn(moved, home);
    const notice = `This directory has the record of ${cwd}, where it was before: skein relink attaches it.\n`;
    expect((await there.skein("log")).stderr).toBe(notice);
    expect((await there.skein("status")).stderr).toBe(notice);
    expect(relink.data.parse(await there.data("relink"))).toEqual({
      directory: moved,
      from: cwd,
      fit: "directory",
      state_id: first.state_id,
      conversations: 1,
    });
    expect((await there.skein("log")).stderr).toBe("");
    expect((await there.skein("verify")).code).toBe(0);
    const second = await there.turn(write("b.txt", "two\n"), "--continue");
    expect(second).toMatchObject({ conversation_id: first.conversation_id, files: { created: ["b.txt"] } });
    expect(await there.data("undo")).toMatchObject({ state_id: first.state_id, files: { deleted: ["b.txt"] } });
    expect(await readFile(join(moved, "a.txt"), "utf8")).toBe("one\n");

    // The old place is as free as any other.
    await mkdir(cwd);
    await writeFile(join(cwd, "new.txt"), "new\n");
    expect((await skein("checkpoint", "fresh")).stderr).toBe("");
    expect(await error("relink", moved)).toMatchObject({ kind: "usage", target: cwd });
  },
);

it("leaves a copy to begin a record of its own, and the original its own", async () => {
  const { cwd, home, data } = await tracedWorkspace();
  git(cwd, "init", "--quiet", "--initial-branch=main");
  git(cwd, ...IDENTITY, "commit", "--quiet", "--allow-empty", "-m", "one");
  await data("checkpoint", "good");
  const copy = join(dirname(cwd), "copy");
  await cp(cwd, copy, { recursive: true });
  const there = commandsIn(copy, home);
  const looked = await there.skein("log");
  expect([looked.code, looked.stderr]).toEqual([0, ""]);
  expect(await there.error("relink")).toMatchObject({ kind: "state_not_found" });
  expect(await there.error("relink", cwd)).toMatchObject({ kind: "usage", target: cwd });
  expect(await data("status")).toMatchObject({ state_id: expect.stringMatching(/^[\da-f]{40}$/u) as string });

  // Once the original is gone, the copy may be what it became: only a person knows.
  await rm(cwd, { recursive: true });
  expect((await there.skein("log")).stderr).toBe(
    `Nothing is recorded here. A record of a workspace that is gone may fit:\n  skein relink ${cwd}\n`,
  );
  expect(await there.error("relink")).toMatchObject({ kind: "usage", message: expect.stringContaining(cwd) as string });
  expect((await there.skein("relink", cwd)).code).toBe(0);
  expect((await there.skein("show", "good")).code).toBe(0);
});

it("lists the records where several fit, takes the one that is named, and none that nothing is known of", async () => {
  const workspace = await tracedWorkspace();
  const root = dirname(workspace.cwd);
  git(workspace.cwd, "init", "--quiet", "--initial-branch=main");
  git(workspace.cwd, ...IDENTITY, "commit", "--quiet", "--allow-empty", "-m", "one");
  for (const name of ["first", "second"]) {
    git(root, "clone", "--quiet", workspace.cwd, name);
    await workspace.data("checkpoint", name, "--cwd", join(root, name));
    await rm(join(root, name), { recursive: true });
  }
  git(root, "clone", "--quiet", workspace.cwd, "third");
  const there = commandsIn(join(root, "third"), workspace.home);
  expect((await there.skein("log")).stderr).toContain(`  skein relink ${root}/first\n  skein relink ${root}/second\n`);
  expect(await there.error("relink")).toMatchObject({
    kind: "usage",
    message: `The records of several may be that of ${root}/third:\n  ${root}/first\n  ${root}/second`,
  });
  expect(await there.error("relink", "../nowhere")).toMatchObject({ kind: "state_not_found" });
  expect((await there.skein("relink", "../second")).code).toBe(0);
  expect((await there.skein("show", "second")).code).toBe(0);
  expect(await there.error("show", "first")).toMatchObject({ kind: "state_not_found" });
});

it("takes a link that was left at the old place for a move", async () => {
  const { cwd, home, data } = await tracedWorkspace();
  await writeFile(join(cwd, "a.txt"), "one\n");
  await data("checkpoint", "good");
  const moved = join(dirname(cwd), "disk");
  await rename(cwd, moved);
  await symlink(moved, cwd);
  const there = commandsIn(cwd, home);
  expect((await there.skein("log")).stderr).toContain("skein relink attaches it");
  expect((await there.skein("relink")).code).toBe(0);
  expect((await there.skein("show", "good")).code).toBe(0);
});

it("moves what was cut off, and branches that lay elsewhere, with the record", async () => {
  const { cwd, home } = await tracedWorkspace();
  const [moved, elsewhere] = [join(dirname(cwd), "moved"), join(dirname(cwd), "elsewhere")];
  await writeFile(join(cwd, "a.txt"), "one\n");
  git(cwd, "init", "--quiet", "--initial-branch=main");
  git(cwd, "add", "a.txt");
  git(cwd, ...IDENTITY, "commit", "--quiet", "-m", "one");
  await using workspace = await Workspace.open(cwd, { home });
  const { id } = await workspace.snapshot();
  const files = new Map([["state.json", "{}"]]);
  const state = { snapshotId: id, files, session: new Map(), message: "a state", recordedAtMs: Date.now() };
  const { id: stateId } = await workspace.states.write(state);
  await workspace.states.setHead({ stateId });
  await (await workspace.branch(stateId, elsewhere)).close();
  await workspace.close();
  const journal = { directory: cwd, transitionId: "x" };
  await mkdir(join(workspace.home, "journals"), { recursive: true });
  await writeFile(join(workspace.home, "journals/x.cut.jsonl"), `${JSON.stringify(journal)}\n{"entries":[]}\nhalf`);
  await rename(cwd, moved);
  expect(await relinkWorkspace(moved, { home })).toEqual({ directory: moved, from: cwd, fit: "directory" });
  await using again = await Workspace.open(moved, { home });
  expect(await readFile(join(again.home, "journals/x.cut.jsonl"), "utf8")).toBe(
    `${JSON.stringify({ ...journal, directory: moved })}\n{"entries":[]}\nhalf`,
  );
  await using branch = await Workspace.open(elsewhere, { home });
  expect(git(elsewhere, "log", "--format=%s")).toBe("one\n");
  expect([branch.origin, (await branch.states.head())?.stateId]).toEqual([moved, stateId]);
});

it("ends a relink that was cut off, wherever that was", async () => {
  for (const isSetAside of [false, true]) {
    const { cwd, home, data } = await tracedWorkspace();
    await writeFile(join(cwd, "a.txt"), "one\n");
    await data("checkpoint", "good");
    const moved = join(dirname(cwd), "moved");
    await rename(cwd, moved);
    const there = commandsIn(moved, home);
    // The description is written first; an empty record at the new place goes last.
    const folder = join(home, "workspaces", workspaceKey(cwd));
    const file = JSON.parse(await readFile(join(folder, "workspace.json"), "utf8")) as object;
    await writeFile(join(folder, "workspace.json"), JSON.stringify({ ...file, path: moved, movedFrom: cwd }));
    if (!isSetAside) await there.data("log");
    expect(await there.data("relink")).toMatchObject({ from: cwd, fit: "begun" });
    expect((await there.skein("show", "good")).code).toBe(0);
    expect(await readdir(join(home, "workspaces"))).toEqual([workspaceKey(moved)]);
  }
});

it("refuses while a turn runs in the directory that was moved", async () => {
  const { cwd, home, data } = await tracedWorkspace();
  await data("checkpoint", "good");
  await using workspace = await Workspace.open(cwd, { home });
  const moved = join(dirname(cwd), "moved");
  await rename(cwd, moved);
  {
    await using _ = await workspace.claim();
    expect(await commandsIn(moved, home).error("relink")).toMatchObject({ kind: "workspace_busy" });
  }
  expect(await commandsIn(moved, home).data("relink")).toMatchObject({ from: cwd });
});

function git(directory: string, ...args: readonly string[]): string {
  return execFileSync("git", args, { cwd: directory, encoding: "utf8" });
}

const IDENTITY = ["-c", "user.name=A", "-c", "user.email=a@example.org"];
