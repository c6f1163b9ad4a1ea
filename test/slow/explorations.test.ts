import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { loadScenario } from "../../src/offline/index.ts";
import { BudgetTracker } from "../../src/core/index.ts";
import { bestOfN, ClaudeEnvironment } from "../../src/search/index.ts";
import { startOfflineAgent } from "../../src/testing/index.ts";
import { expectNoProcessWith } from "../cli/support/marked-processes.ts";

const SLOW = { timeout: 600_000 } as const;

async function temporaryHome(): Promise<string> {
  const home = await realpath(await mkdtemp(join(tmpdir(), "skein-explorations-")));
  onTestFinished(() => rm(home, { recursive: true, force: true, maxRetries: 10 }));
  return home;
}

it("64 explorations of a state of 5,000 files are all recorded; nothing stays, and memory is flat", SLOW, async () => {
  const home = await temporaryHome();
  const mark = `SKEIN_TEST_MARK_${process.pid}_explorations`;
  const given = JSON.stringify({ home, files: 5_000, explorations: 64, concurrency: 4 });
  const child = spawn(process.execPath, ["--expose-gc", "test/support/exploration-host.mjs", given], {
    env: { ...process.env, SKEIN_TEST_MARK: mark },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let text = "";
  child.stdout.on("data", (chunk: Buffer) => (text += chunk.toString("utf8")));
  expect((await once(child, "close"))[0]).toBe(0);
  const said = JSON.parse(text) as { states: number; isSame: boolean; heapsMb: number[] };
  expect(said).toMatchObject({ states: 64, isSame: true });
  const [first = 0, ...later] = said.heapsMb;
  expect(Math.max(...later) - first, `heaps of ${said.heapsMb.join(", ")} MB`).toBeLessThan(10);

  const [workspace = ""] = await readdir(join(home, "workspaces"));
  expect(await readdir(join(home, "workspaces", workspace, "branches")).catch(() => [])).toEqual([]);
  expect(await readFile("/proc/self/mountinfo", "utf8").catch(() => "")).not.toContain(home);
  await expectNoProcessWith(mark);
});

it("16 branches at once on a budget for 5 stop within one message of it", SLOW, async () => {
  const home = await temporaryHome();
  await using agent = await startOfflineAgent(await loadScenario("direct"), { allowedTools: ["Bash"] });
  await using environment = await ClaudeEnvironment.open(agent.cwd, { engine: agent.engine, workspace: { home } });
  const from = await environment.checkpoint("start");
  const prompt = 'Bash {"command":"true"}';
  // The first one also pays for what goes into the cache.
  await environment.exploreFrom(from, prompt);
  const { transition } = await environment.exploreFrom(from, prompt);
  const { costUsd, responses } = transition.execution;
  const [maxCostUsd, perResponse] = [5 * costUsd, costUsd / responses];

  const {
    nodes,
    stopped,
    costUsd: spent,
  } = await bestOfN(environment, {
    from,
    prompts: [prompt],
    n: 16,
    concurrency: 16,
    budget: new BudgetTracker({
      maxCostUsd,
      perTurn: { maxCostUsd: costUsd },
      perResponse: { maxCostUsd: perResponse },
    }),
  });
  expect(stopped).toBe("budget");
  expect(nodes.length).toBeGreaterThanOrEqual(4);
  expect(spent).toBeLessThanOrEqual(maxCostUsd + perResponse);
});
