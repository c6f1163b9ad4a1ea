import { chmod, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { execFile } from "node:child_process";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { gc } from "../../src/cli/commands/store/upkeep.ts";
import { load, save, pull, push } from "../../src/cli/commands/store/transfer.ts";
import { temporaryDirectory } from "./support/skein.ts";
import { tracedWorkspace, write } from "./support/traced-workspace.ts";

const execute = promisify(execFile);

it("sends states to a remote and fetches them elsewhere, and says what both sides changed", async () => {
  const here = await tracedWorkspace();
  const there = await tracedWorkspace();
  const remote = join(await temporaryDirectory(), "remote.git");
  await execute("git", ["init", "--quiet", "--bare", remote]);
  await writeFile(join(here.cwd, "a.txt"), "one\n");
  const { state_id: id } = await here.data("checkpoint", "good");

  const sent = push.data.parse(await here.data("push", remote));
  expect(sent).toMatchObject({
    remote,
    refs: [{ ref: "refs/skein/checkpoints/good", status: "new" }, { status: "new" }],
  });
  expect((await here.skein("push", remote)).stdout).toBe("Nothing new\n");
  expect(pull.data.parse(await there.data("pull", remote))).toEqual(sent);
  await there.data("restore", "good");
  expect(await readdir(there.cwd)).toEqual(["a.txt"]);
  expect(await there.data("show", "good")).toMatchObject({ state_id: id });

  await writeFile(join(there.cwd, "b.txt"), "two\n");
  await there.data("checkpoint", "good", "@", "--replace");
  await writeFile(join(here.cwd, "c.txt"), "three\n");
  await here.data("checkpoint", "good", "--replace");
  await here.data("push", remote);
  await there.data("checkpoint", "other");
  await there.data("checkpoint", "good", "other", "--replace");
  expect(await there.error("push", remote)).toMatchObject({
    kind: "usage",
    target: remote,
    rejected: expect.arrayContaining([
      { ref: "refs/skein/checkpoints/good", reason: expect.any(String) as string },
    ]) as unknown[],
  });
  expect(await here.error("push", `${remote}-none`)).toMatchObject({ kind: "network", target: `${remote}-none` });
});

it("tells a ref that the other repository could not write from one that went on differently", async () => {
  const here = await tracedWorkspace();
  const remote = join(await temporaryDirectory(), "remote.git");
  await execute("git", ["init", "--quiet", "--bare", remote]);
  await here.data("checkpoint", "good");
  await mkdir(join(remote, "refs/skein/checkpoints"), { recursive: true });
  const lock = join(remote, "refs/skein/checkpoints/good.lock");
  await writeFile(lock, "");
  expect(await here.error("push", remote)).toMatchObject({
    kind: "network",
    target: remote,
    hint: expect.stringContaining(".lock") as string,
    rejected: [{ ref: "refs/skein/checkpoints/good", reason: "failed to update ref" }],
  });
  await rm(lock);
  expect(await here.data("push", remote)).toMatchObject({
    refs: expect.arrayContaining([{ ref: "refs/skein/checkpoints/good", status: "new" }]) as unknown[],
  });
});

it("carries a conversation in a file", { timeout: 120_000 }, async () => {
  const here = await tracedWorkspace();
  const there = await tracedWorkspace();
  const { conversation_id: id, state_id: tip } = await here.turn(write("a.txt", "one\n"));
  const file = join(await temporaryDirectory(), "story.bundle");
  expect(save.data.parse(await here.data("save", "@", file))).toEqual({
    conversation_id: id,
    file,
    bytes: expect.any(Number) as number,
  });
  expect(load.data.parse(await there.data("load", file))).toEqual({
    conversations: [{ conversation_id: id, state_id: tip }],
  });
  expect((await there.skein("log")).stdout).toContain(tip.slice(0, 12));
  await writeFile(file, "mine\n");
  expect(await here.error("save", "@", file)).toMatchObject({
    kind: "filesystem",
    target: file,
    hint: "Name another file, or replace it with --replace.",
  });
  expect(await readFile(file, "utf8")).toBe("mine\n");
  expect(await here.data("save", "@", file, "--replace")).toMatchObject({ file });
  expect(await readdir(dirname(file))).toEqual(["story.bundle"]);
  expect(await here.error("save", "nothing", file)).toMatchObject({ kind: "state_not_found", target: "nothing" });
  expect(await there.error("load", join(here.cwd, "a.txt"))).toMatchObject({ operation: "load" });
});

it("checks the store, and names what is damaged", async () => {
  const { cwd, home, skein, data, error } = await tracedWorkspace();
  await writeFile(join(cwd, "a.txt"), "one\n");
  await data("checkpoint", "start");
  expect(await skein("verify")).toEqual({ code: 0, stdout: "✓ 1 state, all present and intact\n", stderr: "" });
  await damagePack(home);
  expect(await error("verify")).toMatchObject({
    kind: "filesystem",
    operation: "verify",
    problems: expect.arrayContaining([expect.any(String)]) as string[],
  });
});

it(
  "removes old conversations only when told to, and keeps where the directory stands",
  { timeout: 120_000 },
  async () => {
    const { data, skein, turn } = await tracedWorkspace();
    const old = await turn(write("a.txt", "one\n"));
    const present = await turn(write("b.txt", "two\n"));
    await data("restore", old.state_id);
    await data("restore", present.state_id);
    const gone = `refs/skein/conversations/${old.conversation_id}`;

    const dry = gc.data.parse(await data("gc", "--keep-days", "0"));
    expect(dry).toMatchObject({ dry_run: true, keep_days: 0 });
    expect(dry.removed.map(({ ref }) => ref)).toContain(gone);
    expect((await skein("gc")).stdout).toMatch(/^Nothing to free: all [\d.]+ \w+ are in use\n$/u);
    const done = gc.data.parse(await data("gc", "--keep-days", "0", "--yes"));
    expect(done.removed.map(({ ref }) => ref)).toContain(gone);
    expect((await skein("verify")).code).toBe(0);
    expect(await data("show", "@")).toMatchObject({ state_id: present.state_id });
  },
);

it("makes the index anew", async () => {
  const { cwd, skein, data } = await tracedWorkspace();
  await data("checkpoint", "one");
  await writeFile(join(cwd, "a.txt"), "one\n");
  await data("checkpoint", "two");
  expect(await data("reindex")).toEqual({ states: 2 });
  expect(await skein("reindex")).toEqual({ code: 0, stdout: "Indexed 2 states\n", stderr: "" });
});

/** Changes bytes in the middle of the pack that holds the files. */
async function damagePack(home: string): Promise<void> {
  const path = (await readdir(home, { recursive: true })).find((each) => each.endsWith(".pack"));
  if (path === undefined) throw new Error(`There is no pack below ${home}`);
  const pack = join(home, path);
  const content = await readFile(pack);
  const middle = Math.floor(content.length / 2);
  await chmod(pack, 0o600);
  await writeFile(pack, content.fill(0xff, middle, middle + 8));
}
