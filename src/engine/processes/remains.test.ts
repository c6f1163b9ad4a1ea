import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { randomUUID } from "node:crypto";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startGuardian } from "./guardian.ts";
import { clearRemains, expectedRemains, expectedResume, writeRemainsList } from "./remains.ts";

let work: string;
let records: string;

beforeEach(async () => {
  work = await mkdtemp(join(tmpdir(), "skein-remains-"));
  records = await mkdtemp(join(tmpdir(), "skein-records-"));
});

afterEach(async () => {
  for (const folder of [work, records]) await rm(folder, { recursive: true, force: true });
});

const sandboxed = (): Parameters<typeof expectedRemains>[0] => ({ cwd: work, sandbox: { enabled: true } });

/** What a killed sandbox leaves. */
async function leave(): Promise<void> {
  await mkdir(join(work, ".claude/.cc-writes"), { recursive: true });
  for (const name of [".gitmodules", ".bashrc", ".claude/settings.json", ".claude/skills"]) {
    await writeFile(join(work, name), "", { flag: "a" });
  }
}

test("what a killed sandbox leaves is cleared away, and what was there before is not", async () => {
  await writeFile(join(work, ".bashrc"), "");
  writeRemainsList(records, "host.1.", expectedRemains(sandboxed()));
  await leave();
  await clearRemains(records, "host.");
  expect(await readdir(work, { recursive: true })).toEqual([".bashrc"]);
  expect(await readdir(records)).toEqual([]);
});

test("of a repository, and of the one that a linked work tree is part of, the lock of the configuration is expected", async () => {
  await mkdir(join(work, "main/.git/worktrees/linked"), { recursive: true });
  await mkdir(join(work, "linked"));
  await writeFile(join(work, "linked/.git"), `gitdir: ${work}/main/.git/worktrees/linked\n`);
  await writeFile(join(work, "main/.git/config"), "");
  for (const name of ["main", "linked"]) {
    writeRemainsList(records, "host.1.", expectedRemains({ cwd: join(work, name), sandbox: { enabled: true } }));
    await writeFile(join(work, "main/.git/config.lock"), "");
    await clearRemains(records, "host.");
    expect(await readdir(join(work, "main/.git"))).toEqual(["config", "worktrees"]);
  }
});

test("a file with something in it, a link and a full folder are nobody's remains", async () => {
  writeRemainsList(records, "host.1.", expectedRemains(sandboxed()));
  await leave();
  await writeFile(join(work, ".mcp.json"), "{}");
  await writeFile(join(work, "empty"), "");
  await symlink("empty", join(work, ".profile"));
  await writeFile(join(work, ".claude/CLAUDE.md"), "mine");
  await clearRemains(records, "host.");
  expect((await readdir(work, { recursive: true })).toSorted()).toEqual([
    ".claude",
    ".claude/CLAUDE.md",
    ".mcp.json",
    ".profile",
    "empty",
  ]);
});

test("what covers another agent's sandbox in the same folder is left to that one", async () => {
  writeRemainsList(records, "host.1.", expectedRemains(sandboxed()));
  writeRemainsList(records, "other.1.", expectedRemains(sandboxed()));
  await leave();
  await clearRemains(records, "host.");
  expect(await readdir(work)).toEqual([".bashrc", ".claude", ".gitmodules"]);
  await clearRemains(records, "other.");
  expect(await readdir(work)).toEqual([]);
});

test("a CLI that ended by itself keeps its folder; without a sandbox nothing is expected of it", async () => {
  expect(expectedRemains({ cwd: work })).toEqual([]);
  writeRemainsList(records, "host.1.", expectedRemains(sandboxed()));
  await leave();
  await clearRemains(records, "host.1.", { wasKilled: false });
  expect(await readdir(work, { recursive: true })).toEqual([".claude", ".claude/.cc-writes"]);
});

test("a folder with a stored session goes, and no other folder, whatever a list says", async () => {
  const session = join(tmpdir(), `claude-resume-${randomUUID()}`);
  await mkdir(join(session, "projects"), { recursive: true });
  await writeFile(join(session, ".credentials.json"), "token");
  await writeFile(join(work, "kept"), "kept");
  writeRemainsList(records, "host.1.", expectedRemains({}, session));
  const forged = [work, join(work, "..", "x"), `${work}/../claude-resume-`, "relative"];
  const lines = forged.flatMap((path) => [`tree:${path}`, `empty:${path}`, `other:${path}`]);
  await writeFile(join(records, "host.2.left"), lines.join("\n"));
  await clearRemains(records, "host.");
  expect(await readdir(tmpdir())).not.toContain(session.slice(tmpdir().length + 1));
  expect(await readdir(work)).toEqual(["kept"]);
});

test("a session that was laid out for a CLI that never started goes, and no other one", async () => {
  const [left, other] = [randomUUID(), randomUUID()];
  const folders = [left, other].map((sessionId) => ({
    sessionId,
    folder: join(tmpdir(), `claude-resume-${randomUUID()}`),
  }));
  for (const { sessionId, folder } of folders) {
    await mkdir(join(folder, "projects/-work"), { recursive: true });
    await writeFile(join(folder, "projects/-work", `${sessionId}.jsonl`), "{}");
    await writeFile(join(folder, ".credentials.json"), "token");
  }
  writeRemainsList(records, "host.1.", expectedResume(left));
  await clearRemains(records, "host.");
  const there = await readdir(tmpdir());
  expect(folders.map(({ folder }) => there.includes(basename(folder)))).toEqual([false, true]);
  await rm(folders[1]?.folder ?? "", { recursive: true });
});

test.each(["the next command", "the guardian"])("a folder with no session in it yet goes with %s", async (who) => {
  const folder = join(tmpdir(), `claude-resume-${randomUUID()}`);
  await mkdir(join(folder, "projects/-work"), { recursive: true });
  writeRemainsList(records, "host.1.", expectedResume(randomUUID()));
  if (who === "the guardian") startGuardian("host", join(records, "host.json"))();
  else await clearRemains(records, "host.");
  await expect.poll(() => existsSync(folder), { timeout: 20_000 }).toBe(false);
});

test.each(["the next command", "the guardian"])("a link of such a name leads %s nowhere", async (who) => {
  await mkdir(join(work, "projects/empty"), { recursive: true });
  const link = join(tmpdir(), `claude-resume-${randomUUID()}`);
  await symlink(work, link);
  writeRemainsList(records, "host.1.", expectedResume(randomUUID()));
  if (who === "the guardian") startGuardian("host", join(records, "host.json"))();
  else await clearRemains(records, "host.");
  await expect.poll(() => readdir(records), { timeout: 20_000 }).toEqual([]);
  expect(await readdir(work, { recursive: true })).toEqual(["projects", "projects/empty"]);
  await rm(link);
});
