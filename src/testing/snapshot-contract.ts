import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import { chmod, lstat, mkdir, readdir, readFile, readlink, rename, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import type { SnapshotFile, SnapshotStore } from "../snapshot/index.ts";
import { contractOf, write } from "./contract.ts";

interface SnapshotBench {
  readonly store: SnapshotStore;
  /** The workspace, empty. */
  readonly directory: string;
  /** Another place, where nothing is yet. */
  readonly elsewhere: string;
}

/** What every snapshot store keeps to. */
export const SNAPSHOT_CONTRACT = contractOf<(bench: SnapshotBench) => Promise<void>>({
  async "gives equal trees equal ids, and another tree another"({ store, directory }) {
    await write(directory, "a/b.txt", "one");
    const first = await store.capture(directory);
    const again = await store.capture(directory);
    await write(directory, "a/b.txt", "two");
    const second = await store.capture(directory);
    await write(directory, "a/b.txt", "one");
    const third = await store.capture(directory);
    deepStrictEqual([again.id, third.id], [first.id, first.id]);
    ok(second.id !== first.id);
  },
  async "puts back files, modes, links and empty folders, and takes away what came since"({ store, directory }) {
    await fill(directory);
    const before = await look(directory);
    const { id } = await store.capture(directory);
    await rm(join(directory, "src"), { recursive: true });
    await rm(join(directory, "link"));
    await mkdir(join(directory, "link"));
    await write(directory, "link/inside", "new");
    await write(directory, "src", "a file now");
    await chmod(join(directory, "secret"), 0o644);
    await rm(join(directory, "empty"), { recursive: true });
    await store.restore(id, directory);
    deepStrictEqual(await look(directory), before);
    strictEqual((await store.capture(directory)).id, id);
  },
  async "can undo a restore"({ store, directory }) {
    await fill(directory);
    const { id } = await store.capture(directory);
    await write(directory, "later", "work");
    const later = await look(directory);
    const { undo } = await store.restore(id, directory);
    await store.restore(undo, directory);
    deepStrictEqual(await look(directory), later);
  },
  async "tells on a dry run what would change, and changes nothing"({ store, directory }) {
    await write(directory, "a", "one");
    const { id } = await store.capture(directory);
    await write(directory, "b", "two");
    const there = await look(directory);
    const { changes } = await store.restore(id, directory, { dryRun: true });
    deepStrictEqual(
      changes.map(({ type, path }) => [type, path]),
      [["deleted", "b"]],
    );
    deepStrictEqual(await look(directory), there);
  },
  async "tells created, modified, deleted and renamed files apart"({ store, directory }) {
    await write(directory, "gone", "gone");
    await write(directory, "old-name", "a text that is long enough to be known again\n".repeat(4));
    await write(directory, "edited", "one");
    const from = await store.capture(directory);
    await rm(join(directory, "gone"));
    await rename(join(directory, "old-name"), join(directory, "name"));
    await write(directory, "edited", "two");
    await write(directory, "made", "made");
    const to = await store.capture(directory);
    const changes = await store.diff(from.id, to.id);
    deepStrictEqual(
      changes.map(({ type, path }) => [type, path]),
      [
        ["modified", "edited"],
        ["deleted", "gone"],
        ["created", "made"],
        ["renamed", "name"],
      ],
    );
    const renamed = changes.find(({ type }) => type === "renamed");
    ok(renamed?.type === "renamed");
    deepStrictEqual([renamed.from, renamed.similarity], ["old-name", 100]);
    ok((await store.patch(from.id, to.id, "edited")).includes("-one\n\\ No newline at end of file\n+two"));
  },
  async "leaves ignored files out, alone, and takes those that are asked for"({ store, directory }) {
    await write(directory, ".gitignore", "node_modules\n.env\n");
    await write(directory, ".skeinignore", "*.big\n");
    const paths = ["node_modules/a.js", ".env", "x.big", "kept"];
    for (const path of paths) await write(directory, path, path);
    const { id } = await store.capture(directory);
    await rejects(store.read(id, ".env"), { kind: "filesystem" });
    const included = await store.capture(directory, { include: [".env"] });
    strictEqual((await store.read(included.id, ".env")).toString(), ".env");
    for (const path of paths) await write(directory, path, "changed");
    await store.restore(id, directory);
    const texts = paths.map((path) => readFile(join(directory, path), "utf8"));
    deepStrictEqual(await Promise.all(texts), ["changed", "changed", "changed", "kept"]);
  },
  async "lists a file that is too large as left out"({ store, directory }) {
    await write(directory, "large", "x".repeat(100));
    const { leftOut } = await store.capture(directory, { sizeLimitBytes: 99 });
    const told = leftOut.map(({ path, reason, sizeBytes }) => ({ path, reason, sizeBytes }));
    deepStrictEqual(told, [{ path: "large", reason: "too-large", sizeBytes: 100 }]);
  },
  async "writes a snapshot into an empty directory, and into no other"({ store, directory, elsewhere }) {
    await fill(directory);
    const { id } = await store.capture(directory);
    await store.materialise(id, elsewhere);
    deepStrictEqual(await look(elsewhere), await look(directory));
    strictEqual((await store.capture(elsewhere)).id, id);
    await rejects(store.materialise(id, elsewhere), { kind: "usage" });
  },
  async "lists its files in the order of their paths, with mode, size and content, whatever the directory has become"({
    store,
    directory,
  }) {
    await fill(directory);
    for (const path of ["src.txt", "src-a"]) await write(directory, path, "same");
    const { id } = await store.capture(directory);
    for (const name of await readdir(directory)) await rm(join(directory, name), { recursive: true });
    const files: SnapshotFile[] = [];
    for await (const file of store.files(id)) files.push(file);
    deepStrictEqual(
      files.map(({ path, kind, mode, sizeBytes }) => `${path} ${kind} ${mode.toString(8)} ${sizeBytes}`),
      [
        "dangling symlink 777 15",
        "link symlink 777 11",
        "run.sh file 755 10",
        "secret file 600 1",
        "src-a file 644 4",
        "src.txt file 644 4",
        "src/deep/er/file file 644 0",
        "src/main.ts file 644 21",
      ],
    );
    const ids = new Map(files.map(({ path, contentId }) => [path, contentId]));
    strictEqual(ids.get("src-a"), ids.get("src.txt"));
    strictEqual(new Set(ids.values()).size, files.length - 1);
  },
  async "refuses an id that it does not know"({ store, directory }) {
    const unknown = "0123456789012345678901234567890123456789";
    await rejects(store.restore(unknown, directory), { kind: "usage", target: unknown });
    await rejects(store.read(unknown, "a"), { kind: "usage" });
    await rejects(store.files(unknown).next(), { kind: "usage" });
  },
  async "finds nothing wrong with what it stored, and closes twice"({ store, directory }) {
    await fill(directory);
    await store.capture(directory);
    deepStrictEqual(await store.verify(), []);
    await store.close();
    await store.close();
  },
});

async function fill(directory: string): Promise<void> {
  await write(directory, "src/main.ts", "export const a = 1;\r\n");
  await write(directory, "src/deep/er/file", "");
  await write(directory, "run.sh", "#!/bin/sh\n", 0o755);
  await write(directory, "secret", "s", 0o600);
  await mkdir(join(directory, "empty/inner"), { recursive: true });
  await symlink("src/main.ts", join(directory, "link"));
  await symlink("/nowhere/at/all", join(directory, "dangling"));
}

/** Everything below a directory: mode, and content or target. */
async function look(directory: string): Promise<readonly string[]> {
  const paths = (await readdir(directory, { recursive: true })).toSorted();
  return await Promise.all(
    paths.map(async (path) => {
      const stats = await lstat(join(directory, path));
      if (stats.isSymbolicLink()) return `${path} -> ${await readlink(join(directory, path))}`;
      const mode = (stats.mode & 0o7777).toString(8);
      return stats.isDirectory()
        ? `${path}/ ${mode}`
        : `${path} ${mode} ${await readFile(join(directory, path), "utf8")}`;
    }),
  );
}
