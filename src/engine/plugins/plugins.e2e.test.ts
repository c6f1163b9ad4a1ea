import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { defineScenario } from "../../offline/index.ts";
import { startOfflineAgent } from "../../testing/index.ts";
import { collect } from "../../testing/internal.ts";
import { claudePrompt } from "../prompts/claude-prompt.ts";
import { collectMetrics } from "./hook-caller.ts";
import { createCostGuard } from "./cost-guard.ts";
import { createRedactor } from "../secrets/redactor.ts";
import { withPlugins } from "./with-plugins.ts";

const OURS = `ghp_${"aB3dE6gH9".repeat(4)}`;
const THEIRS = `sk-ant-api03-${"aB3dE6gH9".repeat(8)}`;

const scenario = defineScenario({
  name: "plugins",
  rules: [
    { when: { prompt: "^Use" }, steps: [{ say: "I will use {{prompt}}, and take " + THEIRS + " for the rest." }] },
    {
      when: { prompt: "^Read" },
      steps: [
        { call: { tool: "Bash", input: { command: "cat .env", description: "Read the keys" } } },
        { say: "It says {{result}}" },
      ],
    },
    { when: { prompt: "^Work" }, steps: [{ say: "Worked." }] },
  ],
});

describe("plugins around the real CLI", () => {
  it("keep a secret of the prompt from the model, and the model's from the caller", async () => {
    await using agent = await startOfflineAgent(scenario);
    const redactor = createRedactor();
    const engine = withPlugins(agent.engine, [redactor]);
    const { events, result } = await collect(engine, claudePrompt({ text: `Use ${OURS} to log in` }));
    expect(agent.requests.length).toBeGreaterThan(0);
    expect(JSON.stringify(agent.requests)).toContain("Use [redacted github-token] to log in");
    expect(JSON.stringify(agent.requests)).not.toContain(OURS.slice(0, 12));
    const text = "I will use Use [redacted github-token] to log in, and take [redacted anthropic-key] for the rest.";
    expect(result.text).toBe(text);
    expect(events.flatMap((event) => (event.type === "text-delta" ? [event.text] : [])).join("")).toBe(text);
    expect(JSON.stringify(events)).not.toMatch(/sk-ant|api03|aB3dE6/);
    expect(collectMetrics([redactor])).toMatchObject({ "redactor.prompt.github-token": 1 });
  });

  it("keep what tools have read from the caller", async () => {
    await using agent = await startOfflineAgent(scenario, { allowedTools: ["Bash"] });
    await writeFile(join(agent.cwd, ".env"), `KEY=${THEIRS}\nDB_PASSWORD=hunter2-hunter2\n`);
    const redactor = createRedactor({ names: ["DB_PASSWORD"], env: { DB_PASSWORD: "hunter2-hunter2" } });
    const { events, result } = await collect(
      withPlugins(agent.engine, [redactor]),
      claudePrompt({ text: "Read .env" }),
    );
    expect(result.text).toBe("It says KEY=[redacted anthropic-key]\nDB_PASSWORD=[redacted DB_PASSWORD]");
    expect(events.find(({ type }) => type === "tool-end")).toMatchObject({
      output: "KEY=[redacted anthropic-key]\nDB_PASSWORD=[redacted DB_PASSWORD]",
      isError: false,
    });
    expect(JSON.stringify(events)).not.toMatch(/sk-ant|hunter2/);
  });

  it("end the second turn at what the first has left, and do not begin the third", async () => {
    await using agent = await startOfflineAgent(scenario);
    const work = claudePrompt({ text: "Work" });
    // The first turn of all fills the prompt cache; a budget that was not given before spoils a part of it.
    await agent.engine.execute(work);
    const { costUsd } = await agent.engine.execute(work, { maxCostUsd: 1 });
    const guard = createCostGuard({ maxCostUsd: costUsd * 1.5 });
    const engine = withPlugins(agent.engine, [guard]);
    const [first, second] = [await engine.execute(work), await engine.execute(work)];
    const requestsBefore = agent.requests.length;
    const third = await engine.execute(work);
    expect([first, second, third].map(({ text, error, responses }) => [text, error?.kind, responses])).toEqual([
      ["Worked.", undefined, 1],
      ["", "budget", 1],
      ["", "budget", 0],
    ]);
    expect(agent.requests.length).toBe(requestsBefore);
    expect(collectMetrics([guard])).toMatchObject({ "cost-guard.refusedTurns": 1, "cost-guard.reservedUsd": 0 });
  });
});
