import { execFileSync } from "node:child_process";
import {
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
import { Workspace } from "../workspace.ts";
import { findNestedWorkspaces } from "./find-stores.ts";

let root: string;
let outer: string;
let inner: string;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "skein-data-folder-")));
  outer = join(root, "person");
  inner = join(outer, "project");
  mkdirSync(inner, { recursive: true });
  writeFileSync(join(outer, "notes"), "first\n");
  writeFileSync(join(inner, "code"), "first\n");
});

afterEach(() => rmSync(root, { recursive: true, force: true, maxRetries: 9 }));

describe("a workspace that holds the data folder", () => {
  it.each([
    ["at its usual place", ".local/share/skein", undefined],
    ["by a link in the workspace", "link", "elsewhere"],
    ["by a link to a folder of the workspace", "link", "person/real"],
    ["below a link in the workspace", "link/deep/skein", "elsewhere"],
    ["in an ignored folder that is carried to branches", "node_modules/skein", undefined],
  ])("never captures or restores it: %s", async (_, path, target) => {
    if (target !== undefined) {
      mkdirSync(join(root, target), { recursive: true });
      symlinkSync(join(root, target), join(outer, "link"));
    }
    writeFileSync(join(outer, ".gitignore"), "node_modules\n");
    const home = join(outer, path);
    await using workspace = await Workspace.open(outer, { home });
    const first = await record(workspace);
    const other = await recordIn(inner, home, "second\n");
    writeFileSync(join(outer, "notes"), "second\n");
    const second = await record(workspace);
    expect(listed(workspace, second).filter((each) => each.includes("workspaces"))).toEqual([]);
    expect(listed(workspace, second)).not.toContain("link");
    const before = filesBelow(home);
    await workspace.restore(first);
    expect(readFileSync(join(outer, "notes"), "utf8")).toBe("first\n");
    expect(before.filter((each) => !existsSync(each))).toEqual([]);
    await using again = await Workspace.open(inner, { home });
    expect((await again.states.read(other)).id).toBe(other);
    expect(await again.snapshots.verify()).toEqual([]);
    await using branch = await workspace.branch(second);
    expect(readdirSync(branch.view)).not.toContain("link");
    expect(existsSync(join(branch.view, path, "workspaces"))).toBe(false);
    expect(listed(workspace, await record(branch)).filter((each) => each.includes("workspaces"))).toEqual([]);
  });

  it("is not written to by a state that holds files in its place", async () => {
    mkdirSync(join(outer, "data/workspaces"), { recursive: true });
    writeFileSync(join(outer, "data/workspaces/forged"), "forged\n");
    const elsewhere = join(root, "elsewhere");
    let forged = "";
    {
      await using workspace = await Workspace.open(outer, { home: elsewhere });
      forged = await record(workspace);
    }
    rmSync(join(outer, "data"), { recursive: true });
    renameSync(elsewhere, join(outer, "data"));
    await using workspace = await Workspace.open(outer, { home: join(outer, "data") });
    writeFileSync(join(outer, "notes"), "second\n");
    await workspace.restore(forged);
    expect(readFileSync(join(outer, "notes"), "utf8")).toBe("first\n");
    expect(existsSync(join(outer, "data/workspaces/forged"))).toBe(false);
    expect(await workspace.snapshots.verify()).toEqual([]);
  });

  it("cannot be the data folder itself", async () => {
    await expect(Workspace.open(outer, { home: outer })).rejects.toMatchObject({ kind: "usage" });
  });
});

it("finds the workspaces in a workspace, not its branches and not those that are gone", async () => {
  const home = join(root, "home");
  await using workspace = await Workspace.open(outer, { home });
  expect(await findNestedWorkspaces(workspace)).toEqual([]);
  await recordIn(inner, home, "second\n");
  const gone = join(outer, "gone");
  mkdirSync(gone);
  await recordIn(gone, home, "gone\n");
  rmSync(gone, { recursive: true });
  await using _ = await workspace.branch(await record(workspace), join(outer, "branch"));
  expect(await findNestedWorkspaces(workspace)).toEqual([inner]);
});

async function recordIn(directory: string, home: string, text: string): Promise<string> {
  await using workspace = await Workspace.open(directory, { home });
  writeFileSync(join(directory, "code"), text);
  return await record(workspace);
}

async function record(workspace: Workspace): Promise<string> {
  const { id } = await workspace.snapshot();
  const files = new Map([["state.json", "{}"]]);
  const state = { snapshotId: id, files, session: new Map(), message: "a state", recordedAtMs: Date.now() };
  return (await workspace.states.write(state)).id;
}

function listed({ gitDirectory }: Workspace, state: string): readonly string[] {
  const output = execFileSync("git", ["ls-tree", "-r", "--name-only", `${state}:files`], { cwd: gitDirectory });
  return output.toString().split("\n").filter(Boolean);
}

function filesBelow(folder: string): readonly string[] {
  const entries = readdirSync(folder, { withFileTypes: true, recursive: true });
  const stays = /\.lock|temporary|memory|shadow/;
  return entries
    .filter((entry) => entry.isFile() && !stays.test(entry.parentPath + entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
}
