import { existsSync } from "node:fs";
import { mkdtemp, mkdir, readdir, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createForge } from "../../../test/support/forge-bundle.ts";
import { createGitSnapshotStore } from "../git-snapshot-store.ts";
import type { SnapshotStore } from "../snapshot-store.ts";
import { loadConversations, Workspace } from "../../workspace/index.ts";

let root: string;
let directory: string;
let store: SnapshotStore;

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "skein-droppings-")));
  directory = join(root, "workspace");
  await mkdir(directory);
  store = await createGitSnapshotStore({ workspace: directory, home: join(root, "home") });
});

afterEach(async () => {
  await store.close();
  await rm(root, { recursive: true, force: true });
});

test("what the CLI notes for its sandbox is in no snapshot, not listed, and left alone by a restore", async () => {
  await mkdir(join(directory, ".claude"));
  await writeFile(join(directory, ".claude/settings.json"), "{}");
  const before = await store.capture(directory);
  for (const folder of [".claude/.cc-writes", "packages/a/.claude/.cc-writes"]) {
    await mkdir(join(directory, folder), { recursive: true });
    await writeFile(join(directory, folder, "note"), "x");
  }
  await writeFile(join(directory, ".skeinignore"), "!.cc-writes\n");
  const { id, leftOut } = await store.capture(directory);
  expect((await store.diff(before.id, id)).map(({ path }) => path)).toEqual([".skeinignore", "packages/a"]);
  expect(leftOut).toEqual([]);
  await store.restore(before.id, directory);
  expect(await readdir(join(directory, ".claude"))).toEqual([".cc-writes", "settings.json"]);
});

test.each([[".claude"], [".claude/.cc-writes"]])("nor is the folder that it makes for them: %s", async (made) => {
  const before = await store.capture(directory);
  await mkdir(join(directory, made), { recursive: true });
  const after = await store.capture(directory);
  expect(after.id).toBe(before.id);
  await writeFile(join(directory, ".claude/settings.json"), "{}");
  const held = await store.capture(directory);
  expect((await store.diff(before.id, held.id)).map(({ path }) => path)).toEqual([".claude/settings.json"]);
  const { changes, kept } = await store.restore(before.id, directory);
  expect([changes.map(({ type, path }) => [type, path]), kept]).toEqual([[["deleted", ".claude/settings.json"]], []]);
  expect(existsSync(join(directory, ".claude/.cc-writes"))).toBe(made !== ".claude");
  await store.restore(held.id, directory);
  expect((await store.capture(directory)).id).toBe(held.id);
});

test("a secret in that folder is listed as left out all the same", async () => {
  await mkdir(join(directory, ".claude/.cc-writes"), { recursive: true });
  await writeFile(join(directory, ".claude/.credentials.json"), "secret");
  const { leftOut } = await store.capture(directory);
  expect(leftOut).toMatchObject([{ path: ".claude/.credentials.json", reason: "secret" }]);
});

test("a folder that a restore leaves for the ignored files in it is kept, and not deleted as well", async () => {
  await writeFile(join(directory, ".gitignore"), "*.o\n");
  const before = await store.capture(directory);
  await mkdir(join(directory, "build"));
  await writeFile(join(directory, "build/a.o"), "x");
  await store.capture(directory);
  expect(await store.restore(before.id, directory)).toMatchObject({ changes: [], kept: ["build"] });
});

test("a state from elsewhere that holds such things is restored without them", async () => {
  const forge = createForge();
  const note = forge.add("blob", Buffer.from("forged"));
  const inside = (name: string, mode: string, oid: string): string => forge.tree([{ mode, name, oid }]);
  const notes = inside(".cc-writes", "40000", inside("x", "100644", note));
  const files = inside(".claude", "40000", notes);
  const bundle = join(root, "forged.bundle");
  await writeFile(
    bundle,
    forge.bundle({
      "refs/skein/conversations/forged": forge.state({ parts: { files: { mode: "40000", oid: files } } }),
    }),
  );
  await using workspace = await Workspace.open(directory, { home: join(root, "home") });
  await loadConversations(workspace, bundle);
  await workspace.restore("forged");
  expect(await readdir(directory)).toEqual([]);
});
