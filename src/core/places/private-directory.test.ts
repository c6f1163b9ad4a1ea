import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { enterPrivate, privateView, usePrivateDirectory } from "./private-directory.ts";

const directory = {
  path: "/branches/1/merged",
  view: "/proc/7/fd/3/merged",
  entry: ["nsenter", "--mount=/proc/7/fd/4"],
};
const git = { command: "git", args: ["--git-dir=/store"], cwd: "/store", env: { HOME: "/none" } };
let use: Disposable;

beforeEach(() => (use = usePrivateDirectory(directory)));
afterEach(() => use[Symbol.dispose]());

describe("a command", () => {
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
  expect(["/branches/1/merged/a", "/proc/7/fd/3/merged", "/branches/1"].map(privateView)).toEqual([
    "/proc/7/fd/3/merged/a",
    "/proc/7/fd/3/merged",
    undefined,
  ]);
});
