import { execFile, spawn, type ChildProcess } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { findLeftovers, reapLeftovers } from "../src/engine/processes/leftovers.ts";
import { findMarked } from "../src/engine/processes/process-family.ts";
import { ClaudeEngine, claudePrompt } from "../src/engine/index.ts";
import { detectMemoryLimiting } from "../src/engine/internal.ts";
import { findGroupParent, findGroups } from "../src/engine/resources/memory-group.ts";
import { defineScenario, offlineEnvironment, startOfflineServer, type LoopbackServer } from "../src/offline/index.ts";

/** How long after its host's death an agent may live. */
const GONE_MS = 2000;

const scenario = defineScenario({
  name: "hosts",
  rules: [
    { when: { prompt: "^idle" }, steps: [{ say: "hello" }] },
    { when: { prompt: "^stall" }, steps: [{ fail: { type: "stall", afterEvents: 3 } }, { say: "never" }] },
    {
      when: { prompt: "^tool" },
      steps: [{ call: { tool: "Bash", input: { command: "touch hanging; tail -f /dev/null", description: "Hang" } } }],
    },
    { when: { prompt: "^go on" }, steps: [{ say: "still here" }] },
  ],
});

let root = "";
let server: LoopbackServer;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "skein-host-"));
  server = await startOfflineServer({ scenario });
});
afterEach(async () => {
  await server.close();
  await rm(root, { recursive: true, force: true });
});

test.each(["idle", "tool", "stall"])(
  "nothing of an agent in state %s outlives a host that is killed",
  async (state) => {
    const { host, mark, sessionId } = await startHost(state);
    expect((await findMarked(mark)).length).toBeGreaterThan(state === "tool" ? 1 : 0);
    expect(await groupsOf(mark)).toHaveLength((await detectMemoryLimiting()) === "samples" ? 0 : 1);
    host.kill("SIGKILL");
    await vi.waitFor(async () => expect(await findMarked(mark)).toEqual([]), { timeout: GONE_MS, interval: 50 });
    await vi.waitFor(async () => expect(await readdir(join(root, "home", "processes"))).toEqual([]), 20_000);
    expect(await groupsOf(mark)).toEqual([]);

    const env = { ...offlineEnvironment(server.url), HOME: root, CLAUDE_CONFIG_DIR: join(root, ".claude") };
    const engine = new ClaudeEngine({ cwd: root, model: "claude-sonnet-5-5", env });
    expect(await engine.execute(claudePrompt("go on"), { resume: sessionId })).toMatchObject({
      text: "still here",
      sessionId,
    });
  },
);

test("no spare process outlives a host that is killed, and no folder that one waited in", async () => {
  const { host, mark } = await startHost("spare");
  expect((await findMarked(mark)).length).toBeGreaterThanOrEqual(2);
  expect(await readdir(join(root, ".claude", "spares"))).toHaveLength(2);
  host.kill("SIGKILL");
  await vi.waitFor(async () => expect(await findMarked(mark)).toEqual([]), { timeout: GONE_MS, interval: 50 });
  await vi.waitFor(async () => expect(await readdir(join(root, "home", "processes"))).toEqual([]), 20_000);
  expect(await readdir(join(root, ".claude", "spares"))).toEqual([]);
});

async function startHost(state: string): Promise<{ host: ChildProcess; mark: string; sessionId: string }> {
  const host = spawn(process.execPath, ["test/support/host.mjs", state, root, server.url], {
    env: { PATH: process.env["PATH"], SKEIN_HOME: join(root, "home") },
    stdio: ["ignore", "pipe", "inherit"],
  });
  for await (const line of createInterface(host.stdout)) {
    const record = (await readdir(join(root, "home", "processes"))).find((name) => name.endsWith(".json"));
    const { mark } = JSON.parse(await readFile(join(root, "home", "processes", record ?? ""), "utf8")) as {
      mark: string;
    };
    return { host, mark, sessionId: (JSON.parse(line) as { sessionId: string }).sessionId };
  }
  throw new Error("The host ended before it was ready");
}

test("what a host and its guardian left behind is found and ended, and nothing else is", async () => {
  const { host, mark } = await startHost("stall");
  const bystander = spawn("tail", ["-f", "/dev/null"], { stdio: "ignore" });
  const home = join(root, "home");
  expect(await findLeftovers(home)).toEqual([]);
  await killGuardianOf(mark);
  host.kill("SIGKILL");
  await vi.waitFor(async () => expect(await findLeftovers(home)).toMatchObject([{ hostPid: host.pid }]), 20_000);
  const leftovers = await findLeftovers(home);
  expect(leftovers[0]?.pids.length).toBeGreaterThan(0);
  await reapLeftovers(leftovers);
  expect(await findMarked(mark)).toEqual([]);
  expect(await groupsOf(mark)).toEqual([]);
  expect(await findLeftovers(home)).toEqual([]);
  expect(bystander.exitCode ?? bystander.signalCode).toBeNull();
  bystander.kill();
});

/** The control groups of a host's agents: it is in the same group as this process. */
async function groupsOf(mark: string): Promise<readonly string[]> {
  return await findGroups((await findGroupParent())?.path ?? "/nowhere", mark);
}

async function killGuardianOf(mark: string): Promise<void> {
  const { stdout } = await promisify(execFile)("ps", ["-eo", "pid=,args="]);
  const line = stdout.split("\n").find((text) => text.includes("skein-guardian") && text.includes(mark));
  process.kill(Number.parseInt(line ?? "", 10), "SIGKILL");
}
