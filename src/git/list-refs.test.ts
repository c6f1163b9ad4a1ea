import { mkdir, mkdtemp, rename, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { listRefs, listRefsBelow } from "./list-refs.ts";
import { gitLines, runGit } from "./run-git.ts";

let store: string;
let blobs: readonly string[];

beforeAll(async () => {
  store = await mkdtemp(join(tmpdir(), "skein-refs-"));
  await runGit({ gitDirectory: store, args: ["init", "--quiet", "--bare", store] });
  blobs = await Promise.all(
    ["one", "two", "three"].map(async (input) =>
      (await runGit({ gitDirectory: store, args: ["hash-object", "-w", "--stdin"], input })).toString().trim(),
    ),
  );
});

afterAll(() => rm(store, { recursive: true }));

it("lists what git lists: packed and loose names, those in folders, and names of names; no locks, links or other files", async () => {
  const [one = "", two = "", three = ""] = blobs;
  const set = (name: string, id: string): Promise<unknown> =>
    runGit({ gitDirectory: store, args: ["update-ref", `refs/skein/${name}`, id] });
  await set("checkpoints/packed", one);
  await set("checkpoints/moved", one);
  await set("conversations/c1", one);
  await runGit({ gitDirectory: store, args: ["pack-refs", "--all"] });
  await set("checkpoints/moved", two);
  await set("checkpoints/loose", three);
  await set("checkpoints/in/a/folder", three);
  await set("notes/n", three);
  await mkdir(join(store, "refs/skein/branches"), { recursive: true });
  await writeFile(join(store, "refs/skein/branches/b"), "ref: refs/skein/conversations/c1\n");
  await writeFile(join(store, "refs/skein/branches/gone"), "ref: refs/skein/conversations/c2\n");
  await writeFile(join(store, "refs/skein/checkpoints/held.lock"), `${one}\n`);
  await writeFile(join(store, "refs/skein/checkpoints/broken"), "nothing\n");
  await symlink("/etc/hostname", join(store, "refs/skein/checkpoints/link"));
  const prefixes = ["refs/skein/conversations/", "refs/skein/checkpoints/", "refs/skein/branches/"];
  const args = ["for-each-ref", "--format=%(refname) %(objectname)", ...prefixes];
  const said = (await gitLines({ gitDirectory: store, args })).map((line) => line.split(" "));
  expect(said).toHaveLength(6);
  expect([...(await listRefsBelow(store, prefixes))]).toEqual(said);
  expect([...(await listRefs(store, "refs/skein/notes/"))]).toEqual([["n", three]]);
  expect([...(await listRefs(store, "refs/skein/turns/"))]).toEqual([]);
});

it("reads packed names anew when git has put another file in the place of theirs, and finds names of names in it", async () => {
  const [one = "", two = ""] = blobs;
  const packed = join(store, "packed-refs");
  const write = async (id: string): Promise<void> => {
    const lines = [
      "# pack-refs with: peeled fully-peeled sorted ",
      `${id} refs/skein/turns/t`,
      `${one} refs/tags/x`,
      `^${two}`,
    ];
    await writeFile(`${packed}.new`, `${lines.join("\n")}\n`);
    await utimes(`${packed}.new`, 1, 1);
    await rename(`${packed}.new`, packed);
  };
  await mkdir(join(store, "refs/skein/held"), { recursive: true });
  await writeFile(join(store, "refs/skein/held/h"), "ref: refs/tags/x\n");
  for (const id of [one, two, one]) {
    await write(id);
    expect([...(await listRefs(store, "refs/skein/turns/"))]).toEqual([["t", id]]);
    expect([...(await listRefs(store, "refs/skein/held/"))]).toEqual([["h", one]]);
  }
});
