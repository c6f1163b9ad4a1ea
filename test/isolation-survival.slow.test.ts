import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, realpath, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadScenario, startOfflineServer } from "../src/offline/index.ts";
import { isolate, IsolationConfig } from "../src/isolation/index.ts";
import { WorkspaceSection } from "../src/prompt/index.ts";
import { processesWith } from "./support/isolated-attack.ts";
import { describeWith } from "./support/require-package.ts";

const PACKAGES = [
  { command: "bwrap", package: "bubblewrap" },
  { command: "socat", package: "socat" },
];

describeWith(PACKAGES, "a host that is killed", () => {
  test("leaves homes and workspaces that the next one removes, and no process", async () => {
    const folder = await realpath(await mkdtemp(join(tmpdir(), "skein-killed-")));
    const server = await startOfflineServer({ scenario: await loadScenario("direct") });
    const mark = `35${process.pid}`;
    const host = spawn(process.execPath, ["test/support/isolated-host.mjs", folder, server.url, mark], {
      env: { PATH: process.env["PATH"], SKEIN_HOME: join(folder, "skein") },
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [home] = (await once(host.stdout, "data")) as [Buffer];
    await expect.poll(() => processesWith(`mark-${mark}`), { timeout: 20_000 }).not.toEqual([]);
    host.kill("SIGKILL");
    await expect.poll(() => processesWith(`mark-${mark}`), { timeout: 20_000 }).toEqual([]);
    expect((await stat(String(home).trim())).isDirectory()).toBe(true);

    const isolated = await isolate(IsolationConfig(), { cwd: join(folder, "skein") }, { folder });
    const workspace = await new WorkspaceSection({ folder }).open();
    expect((await readdir(folder)).filter((name) => name.includes(`-${host.pid}-`))).toEqual([]);
    await isolated[Symbol.asyncDispose]();
    await workspace.cleanup();
    expect(await readdir(folder)).toEqual(["skein"]);
    await server.close();
    await rm(folder, { recursive: true, force: true });
  });
});
