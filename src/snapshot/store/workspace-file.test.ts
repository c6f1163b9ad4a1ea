import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Workspace } from "../../workspace/index.ts";
import { findDamagedWorkspaces, mendWorkspaceFile } from "./workspace-file.ts";

let root: string;
let directory: string;
let home: string;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "skein-workspace-file-")));
  [directory, home] = [join(root, 'a "strange" one'), join(root, "home")];
  mkdirSync(directory);
});

afterEach(() => rmSync(root, { recursive: true, force: true, maxRetries: 9 }));

describe.each([
  ["empty", ""],
  ["cut short", '{ "version": 1, "pa'],
  ["full of zeros", "\0".repeat(100)],
])("a workspace.json that is %s", (_, torn) => {
  it("is found, and mended by whoever opens the workspace", async () => {
    const { path, file } = await makeWorkspace();
    writeFileSync(path, torn);
    expect(await findDamagedWorkspaces(home)).toEqual([{ home: join(path, ".."), path: directory }]);
    await using workspace = await Workspace.open(directory, { home });
    expect((await workspace.states.head())?.stateId).toMatch(/^[0-9a-f]{40}$/u);
    expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({ version: 1, path: file.path });
    expect(await findDamagedWorkspaces(home)).toEqual([]);
  });
});

it("is mended without its directory, by what the store knows of it", async () => {
  const { path, file } = await makeWorkspace();
  writeFileSync(path, "");
  rmSync(directory, { recursive: true });
  const [damaged] = await findDamagedWorkspaces(home);
  await mendWorkspaceFile(damaged?.home ?? "", damaged?.path ?? "");
  expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({ path: file.path });
});

it("is not touched where a newer version wrote it, or another's stands there", async () => {
  const { path, file } = await makeWorkspace();
  for (const other of [
    { ...file, version: 2 },
    { ...file, path: "/elsewhere" },
  ]) {
    writeFileSync(path, JSON.stringify(other));
    await expect(Workspace.open(directory, { home })).rejects.toMatchObject({ kind: "parse" });
    expect(JSON.parse(readFileSync(path, "utf8"))).toEqual(other);
    expect(await findDamagedWorkspaces(home)).toEqual([]);
  }
});

async function makeWorkspace(): Promise<{ readonly path: string; readonly file: { readonly path: string } }> {
  await using workspace = await Workspace.open(directory, { home });
  const { id } = await workspace.snapshot();
  const files = new Map([["state.json", "{}"]]);
  const state = { snapshotId: id, files, session: new Map(), message: "a state", recordedAtMs: Date.now() };
  await workspace.states.setHead({ stateId: (await workspace.states.write(state)).id });
  const path = join(workspace.home, "workspace.json");
  return { path, file: JSON.parse(readFileSync(path, "utf8")) as { path: string } };
}
