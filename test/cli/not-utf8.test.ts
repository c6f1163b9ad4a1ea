import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createGitSnapshotStore } from "../../src/snapshot/index.ts";
import { Workspace } from "../../src/workspace/index.ts";

const run = promisify(execFile);
const REFUSED = { kind: "filesystem", target: expect.stringContaining("caf\ufffd") as string };

let root: string;

/** A directory of this name, in Latin 1. */
const odd = (): Buffer => Buffer.concat([Buffer.from(`${root}/caf`), Buffer.from([0xe9])]);

/** One that is called as the other is shown: what is meant for the other must not come here. */
const double = (): string => join(root, "caf\ufffd");

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "skein-utf8-")));
  await mkdir(odd());
  await writeFile(Buffer.concat([odd(), Buffer.from("/a")]), "mine");
});

afterEach(() => rm(root, { recursive: true, force: true, maxRetries: 9 }));

/** Runs commands one after the other in a directory that only a shell can name. */
async function inOdd(commands: readonly string[]): Promise<readonly Record<string, unknown>[]> {
  const main = resolve("dist/cli/main.js");
  const lines = commands.map((command) => `"${process.execPath}" "${main}" ${command} --output-format json || :`);
  const env = { PATH: process.env["PATH"], HOME: root, SKEIN_HOME: join(root, "home") };
  const { stdout } = await run("sh", ["-c", `cd "$(printf 'caf\\351')" && ${lines.join("\n")}`], { cwd: root, env });
  return stdout
    .trim()
    .split("\n")
    .map((line) => (JSON.parse(line) as { error: Record<string, unknown> }).error);
}

it.each([false, true])(
  "a working directory that is not UTF-8 is refused by every command, with a double: %s",
  async (hasDouble) => {
    if (hasDouble) await mkdir(double());
    const commands = ["status", "log", "checkpoint x", "gc --yes", "recover", "run 'say hi' --offline direct"];
    const errors = await inOdd(commands);
    expect(errors).toHaveLength(commands.length);
    for (const error of errors) expect(error).toMatchObject(REFUSED);
    // Neither taken for another, nor made.
    expect(await readdir(odd())).toEqual(["a"]);
    expect(await readdir(double()).catch(() => undefined)).toEqual(hasDouble ? [] : undefined);
  },
  60_000,
);

it("the library refuses one too, by its own path, by a link to it, and as a place for a branch or for the data", async () => {
  const home = join(root, "home");
  const link = join(root, "link");
  await symlink(odd(), link);
  for (const path of [double(), link, join(double(), "inner")]) {
    await expect(Workspace.open(path, { home })).rejects.toMatchObject({ kind: "filesystem" });
  }
  await using workspace = await Workspace.open(join(root, "plain"), { home });
  await using store = await createGitSnapshotStore({ workspace: workspace.path, home });
  const { id } = await workspace.snapshot();
  await expect(store.capture(link)).rejects.toMatchObject(REFUSED);
  await expect(store.restore(id, link)).rejects.toMatchObject(REFUSED);
  await expect(store.materialise(id, double())).rejects.toMatchObject(REFUSED);
  expect(await readdir(odd())).toEqual(["a"]);
  expect((await readdir(root)).toSorted()).toEqual(["caf\ufffd", "home", "link", "plain"]);
});

it("one inside of a workspace is held like any other", async () => {
  await using workspace = await Workspace.open(join(root, "w"), { home: join(root, "home") });
  const inner = Buffer.concat([Buffer.from(`${workspace.path}/caf`), Buffer.from([0xe9])]);
  await mkdir(inner);
  await writeFile(Buffer.concat([inner, Buffer.from("/a")]), "mine");
  const { id } = await workspace.snapshot();
  await rm(inner, { recursive: true });
  await workspace.restore(id);
  expect(await readdir(inner)).toEqual(["a"]);
});
