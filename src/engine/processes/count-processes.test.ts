import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { countProcesses } from "./count-processes.ts";
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
    await expect.poll(() => countProcesses(child.pid, mark)).toBe(3);
    process.kill(-(child.pid ?? 0), "SIGKILL");
    await endMarked(mark);
    expect(await countProcesses(undefined, mark)).toBe(0);
  },
);
