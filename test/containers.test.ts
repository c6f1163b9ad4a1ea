import { existsSync } from "node:fs";
import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createFakeEngine } from "../src/testing/index.ts";
import { ClaudeEnvironment } from "../src/search/index.ts";
import { Conversation } from "../src/trace/index.ts";
import { findInterruptedTurns } from "../src/trace/internal.ts";
import { Workspace } from "../src/workspace/index.ts";
import { startTraceHost, type TraceHost } from "./support/start-trace-host.ts";

/** Among processes of its own a pid means something else: as in two containers that share a store. */
const canContain = spawnSync("unshare", ["-pf", "--mount-proc", "true"]).status === 0;

let root: string;
let home: string;

beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "skein-containers-")));
  home = join(root, "home");
});

afterAll(async () => await rm(root, { recursive: true, force: true }));

const NAME = "a store that two containers share";

describe.skipIf(!canContain)(canContain ? NAME : `${NAME} (skipped: unshare -pf is not allowed here)`, () => {
  test("lets one turn run in a directory, and takes it for cut off only when its container is gone", async () => {
    const directory = join(root, "shared");
    await using workspace = await Workspace.open(directory, { home });
    const host = startTraceHost({ directory, home, prompts: ["a.txt one"], hangAt: "tool-end", isContained: true });
    await reached(host, "tool-end");
    expect(await findInterruptedTurns(workspace)).toEqual([]);
    const engine = createFakeEngine(() => "done");
    await using second = await Conversation.start(workspace, { engine });
    await expect(second.send("go")).rejects.toMatchObject({
      kind: "workspace_busy",
      message: expect.stringMatching(/process \d+ of /u) as string,
    });
    await end(host);
    expect(await findInterruptedTurns(workspace)).toHaveLength(1);
  });

  test("leaves a branch alone on which another container works, and clears it away when that is gone", async () => {
    const directory = join(root, "branched");
    await using workspace = await Workspace.open(directory, { home });
    await using first = await Conversation.start(workspace, { engine: createFakeEngine(() => "done") });
    await first.send("go");
    const host = startTraceHost({
      directory,
      home,
      prompts: ["a.txt one"],
      hangAt: "tool-end",
      isBranch: true,
      isContained: true,
    });
    const { directory: branch = "" } = await reached(host, "tool-end");
    await (await Workspace.open(directory, { home })).close();
    // A container mounts for itself; what it writes is seen by all.
    expect(existsSync(join(branch, "../upper/a.txt"))).toBe(true);
    await end(host);
    await (await Workspace.open(directory, { home })).close();
    expect(existsSync(join(branch, "..", "..", `${branch.split("/").at(-2)}.json`))).toBe(false);
  });
});

test("two searches may begin in one directory at once, and a later one goes back to a checkpoint by its name", async () => {
  const directory = join(root, "searched");
  const engine = createFakeEngine(() => "done");
  await using first = await ClaudeEnvironment.open(directory, { engine, workspace: { home } });
  await using second = await ClaudeEnvironment.open(directory, { engine, workspace: { home } });
  const states = await Promise.all([first.checkpoint(), second.checkpoint(), first.checkpoint(), second.checkpoint()]);
  expect(new Set(states.map(({ id }) => id)).size).toBe(1);
  const { id } = await first.checkpoint("named");
  await using later = await ClaudeEnvironment.open(directory, { engine, workspace: { home } });
  expect((await later.state("named")).id).toBe(id);
  await later.restore("named");
  expect((await later.workspace.states.head())?.stateId).toBe(id);
});

test("a turn in a directory inside of a workspace keeps the outer one from another, and the other way round", async () => {
  const outer = join(root, "outer");
  const inner = join(outer, "inner");
  await mkdir(inner, { recursive: true });
  for (const [held, other] of [
    [inner, outer],
    [outer, inner],
  ] as const) {
    await using holder = await Workspace.open(held, { home });
    await using workspace = await Workspace.open(other, { home });
    {
      await using _ = await holder.claim();
      await expect(workspace.claim()).rejects.toMatchObject({
        kind: "workspace_busy",
        message: expect.stringContaining(`${held}, which overlaps ${other}`) as string,
      });
    }
    await (await workspace.claim())[Symbol.asyncDispose]();
  }
});

async function reached(host: TraceHost, event: string) {
  await expect.poll(() => host.lines.some((line) => line.event === event), { timeout: 30_000 }).toBe(true);
  return host.lines.find((line) => line.event === event)!;
}

async function end(host: TraceHost): Promise<void> {
  host.process.kill("SIGKILL");
  await host.ended;
}
