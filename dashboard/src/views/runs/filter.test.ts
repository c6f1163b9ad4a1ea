import { describe, expect, it } from "vitest";
import { parseFilter, withoutPart } from "./filter.ts";

const context = {
  workspaces: [
    { id: "shop-1", path: "/home/me/shop" },
    { id: "shop-2", path: "/home/you/shop" },
    { id: "blog-3", path: "/home/me/blog" },
  ],
  nowMs: Date.parse("2026-11-19T12:00:00Z"),
};

const queryOf = (text: string) => parseFilter(text, context).query;
const problemsOf = (text: string) => parseFilter(text, context).parts.map(({ problem }) => problem);

describe("a filter of runs", () => {
  it("asks for what each of its parts says", () => {
    expect(queryOf("tool:Bash cost:>=0.1 cost:<=2 reward:>=0.5 outcome:failed model:opus")).toEqual({
      tool: "Bash",
      min_cost_usd: 0.1,
      max_cost_usd: 2,
      min_reward: 0.5,
      outcome: "failed",
      model: "opus",
    });
  });

  it("looks for all other words in prompts and answers", () => {
    expect(queryOf('login tool:Edit "two words" page')).toEqual({ tool: "Edit", text: "login two words page" });
    expect(queryOf("see https://example.org/a:b")).toEqual({ text: "see https://example.org/a:b" });
    expect(queryOf("  ")).toEqual({});
  });

  it("leaves the number itself out where less or more was said", () => {
    const most = Number(queryOf("reward:<1").max_reward);
    const least = Number(queryOf("cost:>0").min_cost_usd);
    expect([most < 1, most > 0.999999, least > 0, least < 1e-300]).toEqual([true, true, true, true]);
    const below = Number(queryOf("reward:<-0.5").max_reward);
    expect([below < -0.5, below > -0.500001]).toEqual([true, true]);
  });

  it("takes a reward by its name, with or without a number", () => {
    expect(queryOf("reward:tests>=0.5")).toEqual({ reward: "tests", min_reward: 0.5 });
    expect(queryOf("reward:tests")).toEqual({ reward: "tests" });
    expect(queryOf("reward:=1")).toEqual({ min_reward: 1, max_reward: 1 });
    expect(queryOf("reward:0.5")).toEqual({ min_reward: 0.5 });
  });

  it("finds workspaces by name or id, all that have the name", () => {
    expect(queryOf("workspace:shop")).toEqual({ workspaces: "shop-1,shop-2" });
    expect(queryOf("workspace:blog-3")).toEqual({ workspaces: "blog-3" });
    expect(problemsOf("workspace:none")).toEqual(["there is no workspace none"]);
  });

  it("reads times as people say them", () => {
    expect(queryOf("since:7d")).toEqual({ since: "2026-11-12T12:00:00.000Z" });
    expect(queryOf("until:2026-11-19T10:00:00Z")).toEqual({ until: "2026-11-19T10:00:00.000Z" });
    expect(problemsOf("since:soon until:2026-99-99")).toEqual([
      "write a time, such as 7d, 12h or 2026-11-19",
      "write a time, such as 7d, 12h or 2026-11-19",
    ]);
  });

  it("says what is wrong with a part, and asks for the others", () => {
    const { parts, query } = parseFilter("cost:much toool:Bash outcome:good tool:Edit tool:Bash", context);
    expect(parts.map(({ problem }) => problem)).toEqual([
      "write a number, such as >0.1 or <1",
      "there is no filter toool",
      "outcome is one of completed, failed, cancelled, interrupted",
      undefined,
      "tool is given twice",
    ]);
    expect(query).toEqual({ tool: "Edit" });
  });

  it("takes names of no filter for words, whatever they are", () => {
    expect(problemsOf("constructor:x __proto__:x")).toEqual(["there is no filter constructor", undefined]);
  });

  it("is the same text without a part that is taken away", () => {
    const filter = parseFilter('login tool:Edit "two words"', context);
    expect(withoutPart(filter, 1)).toBe('login "two words"');
  });

  it("lets a quote that is not closed last to the end", () => {
    expect(queryOf('tool:"My Tool" "not closed at all')).toEqual({ tool: "My Tool", text: "not closed at all" });
  });
});
