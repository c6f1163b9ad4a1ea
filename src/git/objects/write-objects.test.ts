import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, expect, it } from "vitest";
import { systemClock } from "../../core/internal.ts";
import { objectId } from "./tree.ts";
import { packStore } from "../../snapshot/index.ts";
import { writePack } from "./write-objects.ts";

let home: string;
let gitDirectory: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "skein-pack-"));
  gitDirectory = join(home, "store.git");
  execFileSync("git", ["init", "--quiet", "--bare", gitDirectory]);
});

afterEach(() => rmSync(home, { recursive: true, force: true }));

it("writes packs that git finds sound, with objects of any size", async () => {
  const content = fc.oneof(
    fc.uint8Array({ maxLength: 40 }),
    fc.constantFrom(15, 16, 17, 2047, 2048, 70_000).map((size) => new Uint8Array(size).fill(65)),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(content, { minLength: 1, maxLength: 300 }), async (contents) => {
      const blobs = new Map(contents.map((each) => [objectId("blob", each), Buffer.from(each)]));
      await writePack(
        gitDirectory,
        Array.from(blobs, ([oid, each]) => ({ oid, type: "blob", content: each })),
      );
      for (const [oid, each] of [...blobs].slice(0, 2)) expect(git("cat-file", "blob", oid)).toEqual(each);
    }),
    { numRuns: 15 },
  );
  expect(git("fsck", "--full", "--strict", "--no-dangling").toString()).toBe("");
});

it("makes many packs few, and loses nothing, named or not", async () => {
  const oids: string[] = [];
  for (let index = 0; index < 60; index += 1) {
    const content = Buffer.from(`content ${index}`);
    const oid = objectId("blob", content);
    oids.push(oid);
    await writePack(gitDirectory, [{ oid, type: "blob", content }]);
  }
  const loose = execFileSync("git", ["--git-dir", gitDirectory, "hash-object", "-w", "--stdin"], { input: "loose" });
  await packStore({ home, gitDirectory, workspace: home }, systemClock);
  expect(readdirSync(join(gitDirectory, "objects/pack")).filter((name) => name.endsWith(".pack"))).toHaveLength(1);
  for (const oid of [...oids, loose.toString().trim()]) expect(git("cat-file", "-t", oid).toString()).toBe("blob\n");
});

function git(...args: string[]): Buffer {
  return execFileSync("git", ["--git-dir", gitDirectory, ...args], { stdio: ["ignore", "pipe", "ignore"] });
}
