import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { TurnResult } from "../../core/index.ts";
import { createFakeEngine } from "../../testing/index.ts";
import { claudePrompt } from "../prompts/claude-prompt.ts";
import type { Engine } from "../engine.ts";
import { createCostGuard } from "./cost-guard.ts";
import type { SkeinPlugin } from "./skein-plugin.ts";
import { withPlugins } from "./with-plugins.ts";

const prompt = claudePrompt({ text: "Work" });

/** An engine whose turns cost so much, and which notes the budgets it is given. */
function costing(
  costUsd: number,
  changes: Partial<TurnResult> = {},
): { engine: Engine; budgets: (number | undefined)[] } {
  const budgets: (number | undefined)[] = [];
  const pricing: SkeinPlugin = {
    name: "pricing",
    beforeQuery: ({ options }) => void budgets.push(options.maxCostUsd),
    onMessage: (event) =>
      event.type === "turn-end" ? { ...event, result: { ...event.result, costUsd, ...changes } } : event,
  };
  return {
    engine: withPlugins(
      createFakeEngine(() => "done"),
      [pricing],
    ),
    budgets,
  };
}

describe("the cost guard", () => {
  it("gives each turn what is left, and refuses the turn for which nothing is", async () => {
    const { engine, budgets } = costing(0.4);
    const guard = createCostGuard({ maxCostUsd: 1 });
    const guarded = withPlugins(engine, [guard]);
    const results = [];
    for (let turn = 0; turn < 4; turn += 1) results.push(await guarded.execute(prompt));
    expect(budgets).toEqual([1, 0.6, 0.2]);
    expect(results.map(({ error }) => error?.kind)).toEqual([undefined, undefined, undefined, "budget"]);
    expect(results[3]?.error).toMatchObject({
      message: "The 1 USD for all turns are spent",
      target: "cost-guard",
      hint: "Raise `maxCostUsd`.",
    });
    expect(guard.metrics?.()).toEqual({ spentUsd: 1.2, reservedUsd: 0, tokens: 0, refusedTurns: 1 });
  });

  it("takes the smallest of the limits of the turn, of each turn and of all", async () => {
    const { engine, budgets } = costing(0.3);
    const guarded = withPlugins(engine, [createCostGuard({ maxCostUsd: 1, maxCostUsdPerTurn: 0.5 })]);
    await guarded.execute(prompt);
    await guarded.execute(prompt, { maxCostUsd: 0.1 });
    await guarded.execute(prompt, { maxCostUsd: 0.9 });
    expect(budgets).toEqual([0.5, 0.1, 0.4]);
  });

  it("sets no budget where there is no limit for money, and counts", async () => {
    const usage = { inputTokens: 1, outputTokens: 20, cacheReadTokens: 300, cacheWriteTokens: 4000 };
    const { engine, budgets } = costing(0.3, { usage });
    const guard = createCostGuard({ maxTokens: 5000 });
    const guarded = withPlugins(engine, [guard]);
    expect((await guarded.execute(prompt)).isError).toBe(false);
    expect((await guarded.execute(prompt)).isError).toBe(false);
    expect((await guarded.execute(prompt)).error).toMatchObject({ kind: "budget", hint: "Raise `maxTokens`." });
    expect(budgets).toEqual([undefined, undefined]);
    expect(guard.metrics?.()).toEqual({ spentUsd: 0.6, reservedUsd: 0, tokens: 8642, refusedTurns: 1 });
  });

  it("reserves for turns that run at the same time", async () => {
    const { engine, budgets } = costing(0.1);
    const guard = createCostGuard({ maxCostUsd: 1, maxCostUsdPerTurn: 0.4 });
    const guarded = withPlugins(engine, [guard]);
    const results = await Promise.all(Array.from({ length: 4 }, () => guarded.execute(prompt)));
    expect(budgets).toEqual([0.4, 0.4, 0.2]);
    expect(results.map(({ error }) => error?.message)).toEqual([
      undefined,
      undefined,
      undefined,
      "The remaining 1 USD are reserved by running turns",
    ]);
    expect(guard.metrics?.()).toMatchObject({ spentUsd: 0.3, reservedUsd: 0 });
    expect((await guarded.execute(prompt)).isError).toBe(false);
  });

  it("never gives out more than there is, in any order of turns", async () => {
    const turns = fc.array(fc.record({ costUsd: fc.integer({ min: 0, max: 400 }), at: fc.nat({ max: 5 }) }));
    await fc.assert(
      fc.asyncProperty(turns, async (planned) => {
        const guard = createCostGuard({ maxCostUsd: 1, maxCostUsdPerTurn: 0.4 });
        const open: { id: string; costUsd: number }[] = [];
        for (const [index, { costUsd, at }] of planned.entries()) {
          const turn = { id: String(index), prompt, options: {}, attempt: 1 };
          const answer = await guard.beforeQuery?.(turn);
          if (answer && "options" in answer) {
            open.push({ id: turn.id, costUsd: Math.min(costUsd / 1000, answer.options?.maxCostUsd ?? 0) });
          }
          const [ended] = open.splice(at, 1);
          if (ended) await guard.afterQuery?.({ ...done, costUsd: ended.costUsd }, { ...turn, id: ended.id });
          const { spentUsd = 0, reservedUsd = 0 } = guard.metrics?.() ?? {};
          expect(Math.round((spentUsd + reservedUsd) * 1e6)).toBeLessThanOrEqual(1e6);
        }
      }),
    );
  });

  it("counts a turn that was left before its end as all that it could have cost", async () => {
    const { engine } = costing(0.1);
    const guard = createCostGuard({ maxCostUsd: 1, maxCostUsdPerTurn: 0.4 });
    for await (const event of withPlugins(engine, [guard]).stream(prompt)) if (event.type === "text") break;
    expect(guard.metrics?.()).toMatchObject({ spentUsd: 0.4, reservedUsd: 0 });
  });

  it("counts a turn that was ended from outside, and does not know what it cost, the same", async () => {
    const { engine } = costing(0, { isError: true, responses: 0 });
    const guard = createCostGuard({ maxCostUsd: 1, maxCostUsdPerTurn: 0.4 });
    await withPlugins(engine, [guard]).execute(prompt);
    expect(guard.metrics?.()).toMatchObject({ spentUsd: 0.4 });
  });

  it("counts nothing for a turn that never began", async () => {
    const { engine } = costing(0.1);
    const guard = createCostGuard({ maxCostUsd: 1 });
    const refusing: SkeinPlugin = { name: "refusing", beforeQuery: () => ({ refuse: "No" }) };
    await withPlugins(engine, [guard, refusing]).execute(prompt);
    await expect(withPlugins(engine, [guard]).execute(claudePrompt({ text: "" }))).rejects.toThrow();
    expect(guard.metrics?.()).toEqual({ spentUsd: 0, reservedUsd: 0, tokens: 0, refusedTurns: 0 });
  });

  it.each([{ maxCostUsd: 0 }, { maxCostUsdPerTurn: -1 }, { maxTokens: Number.NaN }])("refuses %j", (limits) => {
    expect(() => createCostGuard(limits)).toThrow(
      expect.objectContaining({ kind: "config", option: Object.keys(limits)[0] }),
    );
  });
});

const done: TurnResult = {
  text: "",
  sessionId: "s",
  isError: false,
  usage: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 },
  usageByModel: {},
  costUsd: 0,
  durationMs: 0,
  responses: 1,
  model: "m",
  permissionDenials: [],
};
