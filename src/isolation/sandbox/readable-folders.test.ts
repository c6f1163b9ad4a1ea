import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { foldersToDeny } from "./readable-folders.ts";

let root: string;

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "skein-root-")));
  for (const folder of ["usr/lib", "usr/home/me", "etc", "root", "srv", "opt/me", "opt/tool", "run/secrets"]) {
    await mkdir(join(root, folder), { recursive: true });
  }
  await writeFile(join(root, "etc/shadow"), "");
  await symlink("usr/home", join(root, "home"));
  await symlink("usr/lib", join(root, "lib99"));
  await symlink(".", join(root, "all"));
});

afterEach(async () => {
  await rm(root, { recursive: true, force: true });
});

test("everything is denied but the system's own folders, by its real path, and homes wherever they are", async () => {
  const homes = [join(root, "opt/me"), join(root, "nowhere"), root];
  expect(await foldersToDeny({ platform: "linux", root, homes })).toEqual(
    ["etc/shadow", "opt/me", "root", "run/secrets", "srv", "usr/home"].map((path) => join(root, path)),
  );
});

test("a folder whose name the sandbox would take for a pattern is told, not passed over", async () => {
  await mkdir(join(root, "a[b]"));
  await expect(foldersToDeny({ platform: "linux", root })).rejects.toMatchObject({
    kind: "config",
    target: join(root, "a[b]"),
  });
});
