import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { findFamily } from "./process-family.ts";
import { endMarked, MARK_VARIABLE } from "./marked-processes.ts";

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
