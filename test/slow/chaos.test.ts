import { randomInt } from "node:crypto";
import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { ClaudeEngine, claudePrompt } from "../../src/engine/index.ts";
import { ProcessManager } from "../../src/engine/internal.ts";
import { findMarked } from "../../src/engine/processes/process-family.ts";
import { defineScenario } from "../../src/offline/index.ts";
import { startOfflineAgent } from "../../src/testing/index.ts";

const CONVERSATIONS = 50;
const AT_ONCE = 6;

const scenario = defineScenario({
  name: "chaos",
  rules: [
    {
      when: { prompt: "^Work" },
      steps: [
        { think: "A while." },
        { call: { tool: "Write", input: { file_path: "{{cwd}}/a.txt", content: "a" } } },
        { call: { tool: "Bash", input: { command: "sleep 0.2 & sleep 0.3; cat a.txt", description: "Work" } } },
        { fail: { type: "drip", tokensPerSecond: 60 } },
        { say: "done ".repeat(20) },
      ],
    },
    { when: { prompt: "^Go on" }, steps: [{ say: "fine" }] },
  ],
});

test("fifty conversations aborted at random points leave no process, and files and sessions that can be used", async () => {
  await using agent = await startOfflineAgent(scenario, { allowedTools: ["Bash"] });
  await using processes = new ProcessManager(join(agent.home, "processes"));
  const engine = new ClaudeEngine(agent.options, { processes });
  const outcomes: string[] = [];
  let left = CONVERSATIONS;

  const worker = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const cwd = await mkdtemp(join(agent.cwd, "c-"));
      const controller = new AbortController();
      const stopAfter = randomInt(0, 40);
      let seen = 0;
      for await (const event of engine.stream(claudePrompt("Work"), { cwd, signal: controller.signal })) {
        seen += 1;
        if (seen === stopAfter) controller.abort();
        if (event.type !== "turn-end") continue;
        outcomes.push(event.result.error?.kind ?? "completed");
        if (outcomes.length % 10 !== 0 || !event.result.sessionId) continue;
        const next = await engine.execute(claudePrompt("Go on"), { cwd, resume: event.result.sessionId });
        expect(next.error?.kind ?? next.text).toMatch(/^(fine|session_corrupted)$/);
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));

  expect(outcomes).toHaveLength(CONVERSATIONS);
  expect(outcomes.filter((outcome) => outcome !== "cancelled" && outcome !== "completed")).toEqual([]);
  expect(outcomes).toContain("cancelled");
  expect(processes.processes()).toEqual([]);
  await vi.waitFor(async () => expect(await findMarked(processes.mark)).toEqual([]), 20_000);
}, 300_000);
