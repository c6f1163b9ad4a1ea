import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

test("a host whose turns went wrong in every way ends by itself: no process, timer, port or listener is left", async () => {
  const home = await mkdtemp(join(tmpdir(), "skein-abuse-"));
  const { stdout } = await promisify(execFile)(process.execPath, ["test/support/abuse.mjs"], {
    env: { PATH: process.env["PATH"], SKEIN_HOME: home },
    timeout: 50_000,
  });
  expect(JSON.parse(stdout)).toEqual({
    kinds: ["timeout", "timeout", "network", "cancelled", "process"],
    running: 0,
    newListeners: 0,
  });
  await rm(home, { recursive: true });
});
