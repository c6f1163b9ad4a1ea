import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { inputTokensOf } from "../core/internal.ts";
import type { Scenario } from "../offline/index.ts";
import { startOfflineAgent } from "../testing/index.ts";
import { ClaudeEnvironment } from "./claude-environment.ts";

/** The first response writes far more than it reads on top of a short prompt, and goes on to a tool; another would follow. */
const call = { tool: "Bash", input: { command: "tail -f /dev/null" } };
const SCENARIO: Scenario = {
  name: "long-answer",
  rules: [
    { when: { prompt: "Be brief" }, steps: [{ say: "Done." }] },
    { steps: [{ say: "word ".repeat(8_000) }, { call }, { say: "Done." }] },
  ],
};

it("counts what a branch writes while it writes it, and stops it after the response that reaches maxTokens", async () => {
  const home = await mkdtemp(join(tmpdir(), "skein-search-"));
  await using agent = await startOfflineAgent(SCENARIO, { allowedTools: ["Bash"] });
  await using environment = await ClaudeEnvironment.open(agent.cwd, { engine: agent.engine, workspace: { home } });
  const start = await environment.checkpoint();
  const brief = await environment.exploreFrom(start, "Be brief");
  // What one response reads, and a little more than the opening of the next would add.
  const maxTokens = inputTokensOf(brief.transition.execution.usage) + 2_000;
  agent.forget();
  const { transition } = await environment.exploreFrom(start, "Go on at length", { maxTokens });
  expect(agent.requests.filter(({ tools }) => tools?.length)).toHaveLength(1);
  expect(transition.execution.error).toMatchObject({ kind: "budget", target: "maxTokens" });
  expect(transition.execution.usage.outputTokens).toBeGreaterThan(2_000);
  await rm(home, { recursive: true, force: true });
});
