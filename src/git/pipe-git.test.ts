import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { pipeGit, runGit } from "./run-git.ts";

let gitDirectory: string;

beforeEach(async () => {
  gitDirectory = join(mkdtempSync(join(tmpdir(), "skein-pipe-git-")), "store.git");
  await runGit({ gitDirectory, cwd: tmpdir(), args: ["init", "--quiet", "--bare", gitDirectory] });
});

afterEach(() => rmSync(join(gitDirectory, ".."), { recursive: true }));

test("a writer that is slow to end after its last byte has not failed", async () => {
  const written = await runGit({ gitDirectory, args: ["hash-object", "-w", "--stdin"], input: "kept\n" });
  const settings = ["alias.late=!git pack-objects --stdout --quiet; sleep 0.5"];
  const late = { gitDirectory, settings, args: ["late"], input: written };
  await expect(pipeGit(late, { gitDirectory, args: ["index-pack", "--stdin"] })).resolves.toBeUndefined();
});

test("a reader that gives up does not leave the writer waiting", async () => {
  const settings = ["alias.endless=!yes"];
  const endless = { gitDirectory, settings, args: ["endless"] };
  await expect(pipeGit(endless, { gitDirectory, args: ["index-pack", "--stdin"] })).rejects.toMatchObject({
    message: expect.stringContaining("index-pack") as string,
  });
});
