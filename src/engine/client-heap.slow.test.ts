import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { startOfflineAgent } from "../testing/index.ts";
import { ClaudeSDKClient } from "./claude-sdk-client.ts";
import { ProcessManager } from "./processes/process-manager.ts";

test("a client does not make the heap of its host grow", async () => {
  await using agent = await startOfflineAgent({ name: "heap", rules: [{ steps: [{ say: "hello" }] }] });
  await using processes = new ProcessManager(join(agent.home, "processes"));
  const client = new ClaudeSDKClient(agent.options, { processes });
  setFlagsFromString("--expose-gc");
  const collectGarbage = runInNewContext("gc") as () => void;
  const ask = async (turns: number): Promise<number> => {
    for (let turn = 0; turn < turns; turn += 1) await client.ask("Say hello");
    agent.forget();
    collectGarbage();
    return process.memoryUsage().heapUsed;
  };
  const before = await ask(20);
  const after = await ask(100);
  expect((after - before) / 1024 ** 2).toBeLessThan(3);
  await client.disconnect();
}, 120_000);
