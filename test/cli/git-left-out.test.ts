import { execFileSync } from "node:child_process";
import { rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { restore } from "../../src/cli/commands/states/restore-recover.ts";
import { run } from "../../src/cli/commands/agents/run.ts";
import { status } from "../../src/cli/commands/states/status.ts";
import { tracedWorkspace, write } from "./support/traced-workspace.ts";

const IDENTITY = ["-c", "user.name=A", "-c", "user.email=a@example.org"];

it("says of a folder of a repository that its HEAD and index are not put back: once, in status and in every report", async () => {
  const { cwd, data, skein } = await tracedWorkspace();
  const outer = dirname(cwd);
  git(outer, "init", "--quiet", "--initial-branch=main");
  git(outer, ...IDENTITY, "commit", "--quiet", "--allow-empty", "-m", "first");
  await writeFile(join(cwd, "a.txt"), "one\n");
  const told = `not recorded: this is a folder inside ${outer}, whose HEAD and index are left as they are`;
  expect((await skein("checkpoint", "one")).stderr).toBe(`The state of git is ${told}.\n`);
  expect((await skein("checkpoint", "two")).stderr).toBe("");
  const left = { reason: "subdirectory", repository: outer };
  expect(status.data.parse(await data("status"))).toMatchObject({ git_left_out: left });
  expect((await skein("status")).stdout.replaceAll(/\s+/gu, " ")).toContain(`Git ${told}`);
  const turn = run.data.parse(await data("run", write("b.txt", "two\n"), "--offline", "direct"));
  expect(turn).toMatchObject({ files: { created: ["b.txt"] }, git_left_out: left });
  git(outer, "add", "--all");
  git(outer, ...IDENTITY, "commit", "--quiet", "-m", "second");
  const head = git(outer, "rev-parse", "HEAD");
  expect(await data("undo")).toMatchObject({ files: { deleted: ["b.txt"] }, git: "absent", git_left_out: left });
  expect(git(outer, "rev-parse", "HEAD")).toBe(head);
  const text = (await skein("restore", "one", "--yes")).stdout;
  expect(text.replaceAll(/\s+/gu, " ")).toContain(`Git ${told}`);
});

it("says so when a repository that a state holds is gone, after the turn and after the undo", async () => {
  const { cwd, data, skein } = await tracedWorkspace();
  git(cwd, "init", "--quiet", "--initial-branch=main");
  git(cwd, ...IDENTITY, "commit", "--quiet", "--allow-empty", "-m", "first");
  await writeFile(join(cwd, "a.txt"), "one\n");
  await data("checkpoint", "one");
  const command = "echo two > a.txt; rm -rf .git";
  const turn = ["run", `Bash ${JSON.stringify({ command })}`, "--offline", "direct", "--allowed-tools", "Bash"];
  expect(await data(...turn)).toMatchObject({
    files: { modified: ["a.txt"] },
    git_left_out: { reason: "gone", repository: cwd },
  });
  expect(restore.data.parse(await data("undo"))).toMatchObject({ files: { modified: ["a.txt"] }, git: "missing" });
  await rm(join(cwd, ".git"), { recursive: true, force: true });
  expect((await skein("restore", "one", "--yes")).stdout).toContain(
    "not restored: there is no readable repository here any more",
  );
});

function git(directory: string, ...args: readonly string[]): string {
  return execFileSync("git", args, { cwd: directory, encoding: "utf8" });
}
