import { execFileSync } from "node:child_process";
import { cp, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { relink } from "../../src/cli/commands/store/upkeep.ts";
import { commandsIn, tracedWorkspace, write } from "./support/traced-workspace.ts";

it(
  "finds a moved directory's record again, attaches it, and goes on as if nothing had happened",
  { timeout: 120_000 },
  async () => {
    const { cwd, home, data, skein, error, turn } = await tracedWorkspace();
    const first = await turn(write("a.txt", "one\n"));
    await data("checkpoint", "good");
    const moved = join(dirname(cwd), "moved here");
    await rename(cwd, moved);
    const there = commandsIn(moved, home);
    const notice = `This directory has the record of ${cwd}, where it was before: skein relink attaches it.\n`;
    expect((await there.skein("log")).stderr).toBe(notice);
    expect((await there.skein("status")).stderr).toBe(notice);
    expect(relink.data.parse(await there.data("relink"))).toEqual({
      cwd: moved,
      from: cwd,
      fit: "directory",
      state_id: first.state_id,
      conversations: 1,
    });
    expect((await there.skein("log")).stderr).toBe("");
    expect((await there.skein("verify")).code).toBe(0);
    const second = await there.turn(write("b.txt", "two\n"), "--continue");
    expect(second).toMatchObject({ conversation_id: first.conversation_id, files: { created: ["b.txt"] } });
    expect(await there.data("undo")).toMatchObject({ state_id: first.state_id, files: { deleted: ["b.txt"] } });
    expect(await readFile(join(moved, "a.txt"), "utf8")).toBe("one\n");

    // The old place is as free as any other.
    await mkdir(cwd);
    await writeFile(join(cwd, "new.txt"), "new\n");
    expect((await skein("checkpoint", "fresh")).stderr).toBe("");
    expect(await error("relink", moved)).toMatchObject({ kind: "usage", target: cwd });
  },
);

it("leaves a copy to begin a record of its own, and names the original's once that is gone", async () => {
  const { cwd, home, data } = await tracedWorkspace();
  git(cwd, "init", "--quiet", "--initial-branch=main");
  git(cwd, ...IDENTITY, "commit", "--quiet", "--allow-empty", "-m", "one");
  await data("checkpoint", "good");
  const copy = join(dirname(cwd), "copy");
  await cp(cwd, copy, { recursive: true });
  const there = commandsIn(copy, home);
  expect((await there.skein("log")).stderr).toBe("");
  expect(await there.error("relink", cwd)).toMatchObject({ kind: "usage", target: cwd });
  await rm(cwd, { recursive: true });
  expect((await there.skein("log")).stderr).toBe(
    `Nothing is recorded here. A record of a workspace that is gone may fit:\n  skein relink ${cwd}\n`,
  );
});

function git(directory: string, ...args: readonly string[]): string {
  return execFileSync("git", args, { cwd: directory, encoding: "utf8" });
}

const IDENTITY = ["-c", "user.name=A", "-c", "user.email=a@example.org"];
