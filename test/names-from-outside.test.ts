import { describe, expect, it } from "vitest";
import { labelOf } from "../src/page/session-page.ts";
import { parseClaudeOptions } from "../src/engine/options/parse-options.ts";
import { addResults } from "../src/engine/turns/turn-result.ts";
import { firstDifference } from "../src/offline/cassette/nearest-recorded.ts";
import { fillText } from "../src/offline/model/reply.ts";
import { loadScenario } from "../src/offline/scenarios/load-scenario.ts";
import { combineRewards } from "../src/search/rewards/reward.ts";
import { scanXml } from "../src/search/rewards/scan-xml.ts";
import { SAMPLE_RESULT } from "./support/sample-result.ts";

/** What every object has by its prototype. */
const INHERITED = ["constructor", "toString", "valueOf", "hasOwnProperty", "__proto__", "__defineGetter__"];
const usage = { inputTokens: 1, outputTokens: 2, cacheReadTokens: 3, cacheWriteTokens: 4, costUsd: 5 };

/** A record with one name, whatever it is. */
const only = <Value>(name: string, value: Value): Record<string, Value> => Object.fromEntries([[name, value]]);

describe.each(INHERITED)("the name %s", (name) => {
  it("stays as it is written in an offline text", () => {
    const context = { cwd: "/w", prompt: "p", result: "r", captures: {} } as unknown as Parameters<typeof fillText>[1];
    expect(fillText(`{{${name}}} {{ ${name} }} {{cwd}}`, context)).toBe(`{{${name}}} {{ ${name} }} /w`);
  });

  it("is no scenario", async () => {
    await expect(loadScenario(name)).rejects.toMatchObject({ kind: "filesystem" });
  });

  it("is no entity of XML", () => {
    const texts: string[] = [];
    scanXml(`<a b="&${name};"/>`, {
      open: (_: string, attributes: ReadonlyMap<string, string>) => void texts.push(attributes.get("b") ?? ""),
      close: () => {},
    });
    expect(texts).toEqual([`&${name};`]);
  });

  it("is an option that there is not", () => {
    expect(() => parseClaudeOptions(only(name, 1))).toThrow(/There is no option/u);
  });

  it("is a model like any other in what turns cost", () => {
    const result = { ...SAMPLE_RESULT, usageByModel: only(name, usage) };
    const { usageByModel } = addResults([result], result);
    expect(Object.entries(usageByModel)).toEqual([
      [name, { inputTokens: 2, outputTokens: 4, cacheReadTokens: 6, cacheWriteTokens: 8, costUsd: 10 }],
    ]);
  });

  it("is a reward like any other", async () => {
    const combined = combineRewards(only(name, { weight: 2, reward: async () => 3 }) as never);
    const made = await combined({} as never, { signal: new AbortController().signal });
    expect(Object.entries((made as { readonly parts: object }).parts)).toEqual([[name, 3]]);
  });

  it("is a difference where only one side has it", () => {
    expect(firstDifference({}, only(name, 1))).toEqual({ path: `$.${name}`, expected: "nothing", got: "1" });
  });

  it("is no kind of message", () => {
    expect(labelOf({ role: "user", kind: name } as unknown as Parameters<typeof labelOf>[0])).toBe("User");
  });
});
