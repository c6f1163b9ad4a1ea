import { spawn } from "node:child_process";
import { createId } from "../../core/index.ts";
import { findGroupParent } from "./find-group-parent.ts";
import { createMemoryLimiter, type MemoryLimiting } from "./memory-limiter.ts";

/** A limit that no trial comes near. */
const TRIAL_BYTES = 1024 ** 3;

/** Tries what would hold a limit on memory here, by setting one for a process of its own. */
export async function detectMemoryLimiting(): Promise<MemoryLimiting> {
  const child = spawn("/bin/sh", ["-c", "read -r line"], { stdio: ["pipe", "ignore", "ignore"] });
  const { pid } = child;
  child.on("error", () => undefined);
  if (pid === undefined) return "samples";
  const family = (): Promise<readonly number[]> =>
    Promise.resolve(child.exitCode === null && child.signalCode === null ? [pid] : []);
  const limiter = createMemoryLimiter({ mark: `trial-${createId()}`, family, parent: await findGroupParent() });
  try {
    return await limiter.limit(TRIAL_BYTES);
  } finally {
    child.kill("SIGKILL");
    await limiter.remove();
  }
}
