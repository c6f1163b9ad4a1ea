import { execFile } from "node:child_process";
import { chmod, mkdir, readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { openEntries } from "../support/open-entries.ts";
import { describeWith } from "../support/require-package.ts";
import { runSkein, runSkeinJson, temporaryDirectory } from "./support/skein.ts";
import { tracedWorkspace, write } from "./support/traced-workspace.ts";

const run = promisify(execFile);

/** Nobody: another user of the machine. */
const OTHER = ["--reuid=65534", "--regid=65534", "--clear-groups"];

/** The modes of what an agent works in are the workspace's; the CLI keeps its own files. */
const notSkeins = (path: string): boolean =>
  /^workspaces\/[^/]+\/(?:bases\/[^/]+\/tree|branches\/[^/]+)\/|^offline\/claude/u.test(path);

describe("what Skein writes", () => {
  it("is for its owner's eyes: the store with git's objects and SQLite's files, branches, bundles, pages", async () => {
    const place = await tracedWorkspace();
    const home = join(place.home, "deep/skein");
    const env = { SKEIN_HOME: home };
    const skein = async (...args: string[]): Promise<void> => {
      const { code, stderr } = await runSkein(args, { cwd: place.cwd, env });
      expect(stderr).toBe("");
      expect(code).toBe(0);
    };
    await run("git", ["init", "--quiet"], { cwd: place.cwd });
    await writeFile(join(place.cwd, "secret.txt"), "mine", { mode: 0o600 });
    await skein("run", write("made.txt", "content"), "--offline", "direct");
    await skein("log");
    await skein("branch", "@");
    await skein("stats");
    await skein("checkpoint", "here");
    await skein("save", "@", join(place.cwd, "saved.bundle"));
    expect(await openEntries(home, notSkeins)).toEqual([]);
    expect((await stat(join(place.home, "deep"))).mode & 0o077).toBe(0);
    expect((await stat(join(place.cwd, "saved.bundle"))).mode & 0o777).toBe(0o600);
    // What the agent made has the mode that everything has which the user makes.
    expect((await stat(join(place.cwd, "made.txt"))).mode & 0o777).toBe(0o666 & ~process.umask());
  });

  it("is closed by doctor --fix where an older version left it open, and doctor says so before", async () => {
    const home = await temporaryDirectory();
    const store = join(home, "workspaces/app-0123456789abcdef");
    await mkdir(store, { recursive: true });
    for (const folder of [home, join(home, "workspaces"), store]) await chmod(folder, 0o755);
    const env = { SKEIN_HOME: home };
    const dataFolder = async (...flags: string[]): Promise<unknown> => {
      const { envelope } = await runSkeinJson(["doctor", ...flags], { env });
      const { checks } = envelope["data"] as { readonly checks: readonly { readonly name: string }[] };
      return checks.find(({ name }) => name === "data-folder");
    };
    const detail = `${home} is open to other users of this machine (3 folders)`;
    const fix = "Run skein doctor --fix to close it.";
    expect(await dataFolder()).toEqual({ name: "data-folder", status: "warn", detail, fix });
    expect(await dataFolder("--fix")).toEqual({ name: "data-folder", status: "ok", detail: `${detail}: closed` });
    expect(await openEntries(home)).toEqual([]);
    expect(await dataFolder()).toEqual({ name: "data-folder", status: "ok", detail: home });
  });

  it("is closed by the next turn where an older version left the store of the workspace open", async () => {
    const place = await tracedWorkspace();
    await place.turn(write("made.txt", "content"));
    const [name = ""] = await readdir(join(place.home, "workspaces"));
    const store = join(place.home, "workspaces", name);
    await chmod(store, 0o755);
    await place.data("log");
    expect((await stat(store)).mode & 0o777).toBe(0o700);
  });
});

describeWith({ command: "setpriv", package: "util-linux" }, "another user of the machine", () => {
  it.runIf(process.getuid?.() === 0)("reads neither a private file nor a transcript out of the store", async () => {
    const place = await tracedWorkspace();
    await chmod(join(place.cwd, ".."), 0o755);
    await chmod(place.cwd, 0o700);
    await writeFile(join(place.cwd, "secret.txt"), "the secret", { mode: 0o600 });
    const { stdout: folder } = await run("mktemp", ["-d"]);
    const home = join(folder.trim(), "skein");
    await chmod(folder.trim(), 0o755);
    const env = { SKEIN_HOME: home };
    const { code } = await runSkein(["run", write("made.txt", "content"), "--offline", "direct"], {
      cwd: place.cwd,
      env,
    });
    expect(code).toBe(0);
    const listed = run("setpriv", [...OTHER, "find", home, "-type", "f"]);
    await expect(listed).rejects.toMatchObject({ stdout: expect.not.stringContaining("workspaces") as string });
    await run("rm", ["-rf", folder.trim()]);
  });
});
