import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { tmpdir } from "node:os";
import { afterEach, beforeEach, expect, it } from "vitest";
import { identify, systemClock } from "../../core/internal.ts";
import { takeLock } from "../../database/index.ts";
import { openRepository, type Repository, temporaryPlace } from "../../snapshot/index.ts";
import { updateRef, ownerTag } from "../../git/index.ts";
import { sweepDead } from "./sweep-dead.ts";

let root: string;
let repository: Repository;
let dead: string;

beforeEach(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "skein-dead-")));
  mkdirSync(join(root, "workspace"));
  repository = await openRepository(join(root, "workspace"), { home: join(root, "home") });
  // The pid is in use, and was begun at another time.
  dead = JSON.stringify({ ...(await identify(process.pid)), startTime: "long ago" });
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

/** What a process leaves that dies while it holds a lock. */
function leaveLock(path: string): void {
  writeFileSync(path, "");
  writeFileSync(`${path}.holder`, dead);
}

it("takes away the work in progress of the dead, and leaves that of the living", async () => {
  const living = await temporaryPlace(repository.home, "save");
  for (const path of [living, join(repository.home, "temporary/save-nobody.1")]) writeFileSync(path, "");
  mkdirSync(join(repository.home, "temporary/arrival-nobody.2"));
  await sweepDead(repository, systemClock);
  expect(readdirSync(join(repository.home, "temporary"))).toEqual([basename(living)]);
});

it("takes away the locks of the dead with what they were writing, and leaves those of the living", async () => {
  const { home, gitDirectory } = repository;
  const writers = join(root, "home/writers");
  mkdirSync(writers);
  leaveLock(join(home, "write.lock"));
  leaveLock(join(writers, "one.lock"));
  writeFileSync(join(writers, "one.lock.directory"), join(root, "workspace"));
  writeFileSync(join(gitDirectory, "objects/pack/tmp_pack_1"), "half");
  mkdirSync(join(gitDirectory, "objects/17"));
  writeFileSync(join(gitDirectory, "objects/17/tmp_obj_UuZiET"), "half");
  await using _ = await takeLock(join(writers, "two.lock"));
  await sweepDead(repository, systemClock);
  expect(readdirSync(writers).toSorted()).toEqual(["two.lock", "two.lock.holder"]);
  expect(readdirSync(join(gitDirectory, "objects/pack"))).toEqual([]);
  expect(readdirSync(join(gitDirectory, "objects/17"))).toEqual([]);
  expect(existsSync(join(home, "write.lock"))).toBe(false);
});

it("takes away locks that git itself left, of refs and of what lies beside them, once they are old", async () => {
  const { gitDirectory } = repository;
  mkdirSync(join(gitDirectory, "refs/skein"), { recursive: true });
  const locks = ["packed-refs.lock", "HEAD.lock", "refs/skein/one.lock"].map((name) => join(gitDirectory, name));
  for (const path of locks) writeFileSync(path, "");
  await sweepDead(repository, systemClock);
  expect(locks.filter((path) => existsSync(path))).toEqual(locks);
  for (const path of locks) utimesSync(path, new Date(0), new Date(0));
  await sweepDead(repository, systemClock);
  expect(locks.filter((path) => existsSync(path))).toEqual([]);
});

it("takes away the locks of refs whose holder is dead, with what was half written", async () => {
  const { gitDirectory } = repository;
  const folder = join(gitDirectory, "refs/skein/conversations");
  const alive = JSON.stringify(await identify(process.pid));
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "one.lock"), dead);
  writeFileSync(join(folder, "one.01a1e269-16d9-7b14-a89d-1ba2479dc5b8.lock"), "half");
  writeFileSync(join(gitDirectory, "HEAD.01a1e269-16d9-7b14-a89d-1ba2479dc5b8.lock"), "half");
  writeFileSync(join(folder, "two.lock"), alive);
  writeFileSync(join(folder, "two.01a1e269-16d9-7b14-a89d-1ba2479dc5b8.lock"), "half");
  await sweepDead(repository, systemClock);
  expect(readdirSync(gitDirectory).filter((name) => name.endsWith(".lock"))).toEqual([]);
  expect(readdirSync(folder).toSorted()).toEqual(["two.01a1e269-16d9-7b14-a89d-1ba2479dc5b8.lock", "two.lock"]);
});

it("takes away packs that the dead were writing, and leaves those of the living, whoever holds the lock", async () => {
  const { gitDirectory, home } = repository;
  const folder = join(gitDirectory, "objects/pack");
  const alive = `tmp_pack_${await ownerTag()}_1`;
  const gone = `tmp_pack_${(await ownerTag()).replace(/^\d+/u, "4194304")}_2`;
  for (const name of [alive, gone, `${gone}.idx`]) writeFileSync(join(folder, name), "half");
  await sweepDead(repository, systemClock);
  expect(readdirSync(folder)).toEqual([alive]);
  leaveLock(join(home, "write.lock"));
  await sweepDead(repository, systemClock);
  expect(readdirSync(folder)).toEqual([alive]);
});

it("lets nobody wait for the lock of a ref whose holder is dead", async () => {
  const { gitDirectory } = repository;
  const folder = join(gitDirectory, "refs/skein/conversations");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "one.lock"), dead);
  const beganMs = performance.now();
  expect(await updateRef(gitDirectory, "refs/skein/conversations/one", { to: "a".repeat(40) })).toBe(true);
  expect(performance.now() - beganMs).toBeLessThan(5000);
  expect(readdirSync(folder)).toEqual(["one"]);
});

it("takes away half of a store when the next process makes it", async () => {
  mkdirSync(join(root, "other"));
  const { home } = await openRepository(join(root, "other"), { home: join(root, "home") });
  rmSync(home, { recursive: true });
  mkdirSync(`${home}.new-1/store.git`, { recursive: true });
  await openRepository(join(root, "other"), { home: join(root, "home") });
  expect(readdirSync(join(root, "home/workspaces")).filter((name) => name.startsWith("other"))).toEqual([
    basename(home),
  ]);
});
