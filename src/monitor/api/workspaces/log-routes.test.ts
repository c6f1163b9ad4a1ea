import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { appendFile, chmod, mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ask } from "../../../../test/support/monitor-client.ts";
import { startTraceHost } from "../../../../test/support/start-trace-host.ts";
import { startMonitor, type Monitor } from "../../monitor.ts";

let root: string;
let monitor: Monitor;

beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "skein-log-")));
  await mkdir(join(root, "origin"));
  git("origin", "init", "--quiet", "--initial-branch=main");
  for (const [at, subject] of ["first", "<script>second</script>", "third"].entries()) {
    await writeFile(join(root, "origin", "a.txt"), subject);
    git("origin", "add", "--all");
    git("origin", "commit", "--quiet", `--date=2026-01-0${at + 1}T00:00:00Z`, `--message=${subject}\n\nbody`);
  }
  git(".", "clone", "--quiet", "--depth=2", `file://${join(root, "origin")}`, "shallow");
  await mkdir(join(root, "plain"));
  for (const name of ["origin", "shallow", "plain"]) {
    await startTraceHost({ directory: join(root, name), home: join(root, "home"), prompts: ["b.txt new"] }).ended;
  }
  monitor = await startMonitor({ home: join(root, "home"), port: 0, transcriptsHome: join(root, "claude") });
}, 60_000);

afterAll(async () => {
  await monitor.close();
  await rm(root, { recursive: true, force: true, maxRetries: 9 });
});

function git(directory: string, ...args: string[]): string {
  const who = ["-c", "user.name=Ada", "-c", "user.email=ada@localhost"];
  return execFileSync("git", [...who, ...args], { cwd: join(root, directory), encoding: "utf8" });
}

// oxlint-disable-next-line typescript/no-explicit-any -- what a test expects of it, it compares whole
async function log(name: string, query = ""): Promise<any> {
  const { workspaces } = (await ask(`${monitor.url}/api/workspaces`, monitor)).json;
  const { id } = workspaces.find(({ path }: { readonly path: string }) => path === join(root, name));
  const { status, json } = await ask(`${monitor.url}/api/workspaces/${id}/states/@/log${query}`, monitor);
  expect(status).toBe(200);
  return json;
}

it("tells the commits that led to where the user's repository was at a state, by page", async () => {
  const { commits, next_offset: next } = await log("origin", "?limit=2");
  expect(commits).toEqual([
    {
      commit: git("origin", "rev-parse", "HEAD").trim(),
      parents: [git("origin", "rev-parse", "HEAD~1").trim()],
      author: "Ada",
      authored_at: "2026-01-03T00:00:00.000Z",
      subject: "third",
    },
    expect.objectContaining({ subject: "<script>second</script>" }),
  ]);
  expect(next).toBe(2);
  const rest = await log("origin", "?limit=2&offset=2");
  expect(rest).toMatchObject({ commits: [{ subject: "first", parents: [] }], next_offset: null });
});

it("goes as far as a clone that was cut off, and tells none where there is no repository", async () => {
  expect((await log("shallow")).commits).toHaveLength(2);
  expect(await log("plain")).toEqual({ commits: [], next_offset: null });
});

it("is told of the state, not of where the repository is now, and runs nothing that the repository names", async () => {
  const evil = join(root, "evil");
  const ran = join(root, "ran");
  await writeFile(evil, `#!/bin/sh\ntouch ${ran}\n`);
  await chmod(evil, 0o755);
  const settings = `[log]\nshowSignature = true\n[gpg]\nprogram = ${evil}\n[core]\npager = ${evil}\nfsmonitor = ${evil}\nsshCommand = ${evil}\nhooksPath = ${root}\n[diff]\nexternal = ${evil}\n[include]\npath = ${evil}\n[remote "origin"]\nurl = ext::${evil}\npromisor = true\nuploadpack = ${evil}\n`;
  git("origin", "commit", "--quiet", "--allow-empty", "--message=later");
  await appendFile(join(root, "origin", ".git", "config"), settings);
  expect((await log("origin")).commits[0].subject).toBe("third");
  await rm(join(root, "origin", ".git", "objects"), { recursive: true });
  await mkdir(join(root, "origin", ".git", "objects"));
  expect((await log("origin")).commits).toEqual([]);
  expect(existsSync(ran)).toBe(false);
});
