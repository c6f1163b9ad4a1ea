import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  enterPrivate,
  enterShown,
  findShown,
  hostPath,
  inSightOf,
  privateView,
  toAgent,
  toHost,
  usePrivateDirectory,
  type SeenDirectory,
} from "./private-directory.ts";

const directory = {
  path: "/branches/1/merged",
  view: "/proc/7/fd/3/merged",
  entry: ["nsenter", "--mount=/proc/7/fd/4"],
};
const git = { command: "git", args: ["--git-dir=/store"], cwd: "/store", env: { HOME: "/none" } };

describe("a command", () => {
  let use: Disposable;
  beforeEach(() => (use = usePrivateDirectory(directory)));
  afterEach(() => use[Symbol.dispose]());

  it("is left as it is where it has nothing to do with a private directory", () => {
    expect(enterPrivate(git)).toEqual(git);
    expect(enterPrivate({ ...git, cwd: "/branches/1/merged-not" }).command).toBe("git");
  });

  it.each([directory.path, directory.view])("enters the private directory that it works in: %s", (cwd) => {
    expect(enterPrivate({ ...git, cwd: `${cwd}/src` })).toEqual({
      command: "nsenter",
      args: ["--mount=/proc/7/fd/4", "--wd=/proc/7/fd/3/merged/src", "--", "git", "--git-dir=/store"],
      cwd: "/",
      env: { HOME: "/none" },
    });
  });

  it("enters the one whose view it names, and names its path there", () => {
    const { args, env } = enterPrivate({
      ...git,
      args: ["--git-dir=/proc/7/fd/3/merged/.git"],
      env: { GIT_INDEX_FILE: "/proc/7/fd/3/merged/.git/index" },
    });
    const place = ["--mount=/proc/7/fd/4", "--wd=/proc/7/fd/3/merged", "--"];
    expect(args).toEqual([...place, "git", "--git-dir=/branches/1/merged/.git"]);
    expect(env).toEqual({ GIT_INDEX_FILE: "/branches/1/merged/.git/index" });
  });

  it("does not enter twice, and not after the directory was given up", () => {
    const entered = { ...enterPrivate({ ...git, cwd: directory.path }), cwd: directory.view };
    expect(enterPrivate(entered)).toEqual(entered);
    use[Symbol.dispose]();
    expect(enterPrivate({ ...git, cwd: directory.path }).command).toBe("git");
  });
});

it("the view of a path is known for what lies in a private directory alone", () => {
  using _ = usePrivateDirectory(directory);
  expect(["/branches/1/merged/a", "/proc/7/fd/3/merged", "/branches/1"].map(privateView)).toEqual([
    "/proc/7/fd/3/merged/a",
    "/proc/7/fd/3/merged",
    undefined,
  ]);
});

const path = "/home/branches/1/merged";
const view = "/proc/7/fd/3/merged";
const shown = {
  at: "/work/app",
  inside: "/proc/7/fd/5",
  entry: ["nsenter", "--mount=/proc/7/fd/4"],
  kept: ["/work/app/node_modules/cli"],
};
const seen: SeenDirectory = { path, view, entry: ["nsenter", "--mount=/proc/7/fd/2"], shown };
const cli = { command: "claude", args: ["--add-dir", `${path}/src`, "-v"], cwd: `${path}/src`, env: { A: view } };

describe("a directory that agents see by another path", () => {
  it("is entered by their commands, which are told that path, and not twice", () => {
    using _ = usePrivateDirectory(seen);
    const entered = enterShown(cli);
    expect(entered).toEqual({
      command: "nsenter",
      args: ["--mount=/proc/7/fd/4", "--wd=/proc/7/fd/5/src", "--", "claude", "--add-dir", "/work/app/src", "-v"],
      cwd: "/",
      env: { A: "/work/app" },
    });
    const again = { ...entered, cwd: view };
    expect([enterShown(again), enterPrivate(again)]).toEqual([again, again]);
  });

  it("is left alone by commands of the host where everybody sees it", () => {
    using _ = usePrivateDirectory({ path, view: path, entry: [], shown });
    expect(enterPrivate(cli)).toEqual(cli);
    expect(enterShown(cli).command).toBe("nsenter");
    expect(findShown("/work/app")).toBeUndefined();
  });

  it("is found by the host under the agent's path while something is done for the agent, and not otherwise", async () => {
    const named = ["/work/app", "/work/app/a", "/work/application", "/work/app/node_modules/cli/x", "a"];
    const found = await inSightOf(seen, async () => named.map(hostPath));
    expect(found).toEqual([view, `${view}/a`, "/work/application", "/work/app/node_modules/cli/x", "a"]);
    expect(named.map(hostPath)).toEqual(named);
  });

  it("has its name changed in whole paths on the way in, and in texts on the way back", () => {
    const call = { cwd: "/work/app", input: { path: "/work/app/a", text: "see /work/app/a" }, count: [1, null] };
    const told = toHost(call, seen);
    expect(told).toEqual({ cwd: view, input: { path: `${view}/a`, text: "see /work/app/a" }, count: [1, null] });
    expect(toAgent({ ...told, said: `in ${path}/a` }, seen)).toEqual({ ...call, said: "in /work/app/a" });
  });
});
