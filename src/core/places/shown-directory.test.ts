import { describe, expect, it } from "vitest";
import { enterPrivate, usePrivateDirectory } from "./private-directory.ts";
import { enterShown, findShown, hostPath, inSightOf, toAgent, toHost, type SeenDirectory } from "./shown-directory.ts";

const path = "/home/branches/1/merged";
const view = "/proc/7/fd/3/merged";
const shown = {
  at: "/work/app",
  inside: "/proc/7/fd/5",
  entry: ["nsenter", "--mount=/proc/7/fd/4"],
  kept: ["/work/app/node_modules/cli"],
};
const directory: SeenDirectory = { path, view, entry: ["nsenter", "--mount=/proc/7/fd/2"], shown };
const cli = { command: "claude", args: ["--add-dir", `${path}/src`, "-v"], cwd: `${path}/src`, env: { A: view } };

describe("a directory that agents see by another path", () => {
  it("is entered by their commands, which are told that path, and not twice", () => {
    using _ = usePrivateDirectory(directory);
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
    const found = await inSightOf(directory, async () => named.map(hostPath));
    expect(found).toEqual([view, `${view}/a`, "/work/application", "/work/app/node_modules/cli/x", "a"]);
    expect(named.map(hostPath)).toEqual(named);
  });

  it("has its name changed in whole paths on the way in, and in texts on the way back", () => {
    const call = { cwd: "/work/app", input: { path: "/work/app/a", text: "see /work/app/a" }, count: [1, null] };
    const told = toHost(call, directory);
    expect(told).toEqual({ cwd: view, input: { path: `${view}/a`, text: "see /work/app/a" }, count: [1, null] });
    expect(toAgent({ ...told, said: `in ${path}/a` }, directory)).toEqual({ ...call, said: "in /work/app/a" });
  });
});
