import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { processesWith } from "../../../test/support/isolated-attack.ts";
import { spawnCli } from "./cli-process.ts";
import { MARK_VARIABLE, endMarked, findFamily } from "./process-family.ts";

test.runIf(process.platform === "linux")(
  "children count that cleared their environment, and marked ones that left the tree",
  async () => {
    const mark = `count-test-${process.pid}.`;
    // One child without the mark, and one with it whose parent goes away at once.
    const script = "env -i sleep 1000 & (setsid sleep 1000 >/dev/null 2>&1 &); echo ready; wait";
    const env = { PATH: process.env["PATH"], [MARK_VARIABLE]: mark };
    const child = spawn("sh", ["-c", script], { env, detached: true });
    await once(child.stdout, "data");
    await expect.poll(async () => (await findFamily(child.pid, mark)).length).toBe(3);
    process.kill(-(child.pid ?? 0), "SIGKILL");
    await endMarked(mark);
    expect(await findFamily(undefined, mark)).toEqual([]);
  },
);

test.runIf(process.platform === "linux")(
  "a child that cleared its environment ends with a CLI that ends by itself",
  async () => {
    const seconds = `40${process.pid}`;
    const script = `env -i setsid sleep ${seconds} & echo ready; read -r line`;
    const { signal } = new AbortController();
    const env = { PATH: process.env["PATH"] };
    const cli = spawnCli({ command: "sh", args: ["-c", script], env, signal }, { mark: `family-test-${process.pid}.` });
    await once(cli.child.stdout, "data");
    await expect.poll(async () => await processesWith(`sleep\0${seconds}`)).toHaveLength(1);
    await cli.end();
    expect(await processesWith(`sleep\0${seconds}`)).toEqual([]);
  },
);
