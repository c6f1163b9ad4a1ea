import { mkdtemp, mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createGitSnapshotStore } from "../git-snapshot-store.ts";

test("what the CLI notes for its sandbox is in no snapshot, not listed, and left alone by a restore", async () => {
  const root = await mkdtemp(join(tmpdir(), "skein-droppings-"));
  const directory = join(root, "workspace");
  await mkdir(join(directory, ".claude"), { recursive: true });
  await writeFile(join(directory, ".claude/settings.json"), "{}");
  await using store = await createGitSnapshotStore({ workspace: directory, home: join(root, "home") });
  const before = await store.capture(directory);
  for (const folder of [".claude/.cc-writes", "packages/a/.claude/.cc-writes"]) {
    await mkdir(join(directory, folder), { recursive: true });
    await writeFile(join(directory, folder, "note"), "x");
  }
  await writeFile(join(directory, ".skeinignore"), "!.cc-writes\n");
  const { id, leftOut } = await store.capture(directory);
  expect((await store.diff(before.id, id)).map(({ path }) => path)).toEqual([".skeinignore", "packages/a/.claude"]);
  expect(leftOut).toEqual([]);
  await store.restore(before.id, directory);
  expect(await readdir(join(directory, ".claude"))).toEqual([".cc-writes", "settings.json"]);
  await rm(root, { recursive: true, force: true });
});
