import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { rankOffer, type Rankable, type RankableEntry, wordsOf } from "./rank-offer.ts";

const OFFER: Rankable = {
  commands: [
    entry("security-review", "Review the pending changes for security problems", "builtin"),
    entry("compact", "Free up context by summarizing the conversation", "builtin"),
    { ...entry("usage", "Show what was spent", "builtin"), aliases: ["cost"] },
  ],
  tools: [entry("WebSearch", "Search the web", "native"), entry("Read", "Reads a file from the disk", "native")],
};

describe("ranking", () => {
  it("puts the best first, and says which words were found where", () => {
    expect(rankOffer("search the web for files", OFFER)).toEqual([
      {
        kind: "tool",
        name: "WebSearch",
        score: 0.5324,
        source: "native",
        matched: [
          { word: "search", fields: ["name", "description"], share: 0.2662 },
          { word: "web", fields: ["name", "description"], share: 0.2662 },
        ],
      },
      {
        kind: "tool",
        name: "Read",
        score: 0.1555,
        source: "native",
        matched: [{ word: "file", fields: ["description"], share: 0.1555 }],
      },
    ]);
  });

  it("holds a word in a name for more than one in a description", () => {
    const names = rankOffer("review", {
      commands: [entry("tidy", "A review"), entry("review", "Looks")],
      tools: [],
    }).map(({ name }) => name);
    expect(names).toEqual(["review", "tidy"]);
  });

  it("finds other names too", () => {
    expect(rankOffer("what is the cost", OFFER).map(({ name }) => name)).toEqual(["usage"]);
  });

  it.each(["", "the of and", "zzyzx", "🦊"])("finds nothing where no word tells anything: %j", (prompt) => {
    expect(rankOffer(prompt, OFFER)).toEqual([]);
  });

  it("orders equals by kind and name", () => {
    const equals = { commands: [entry("d x"), entry("c x")], tools: [entry("c x")] };
    expect(rankOffer("x", equals).map(({ kind, name }) => `${kind} ${name}`)).toEqual([
      "command c x",
      "command d x",
      "tool c x",
    ]);
  });

  it("gives scores between 0 and 1 that are the sum of their shares, whatever is asked and offered", () => {
    const word = fc.constantFrom("read", "write", "File", "webSearch", "the", "größe", "x1", "");
    const text = fc.array(word, { maxLength: 8 }).map((words) => words.join(" "));
    const entries = fc.array(fc.record({ name: text, description: text }), { maxLength: 6 });
    fc.assert(
      fc.property(text, entries, entries, (prompt, commands, tools) => {
        const offer = {
          commands: commands.map(({ name, description }) => entry(name, description)),
          tools: tools.map(({ name, description }) => entry(name, description)),
        };
        const ranked = rankOffer(prompt, offer);
        for (const { score, matched } of ranked) {
          expect(score).toBeGreaterThan(0);
          expect(score).toBeLessThanOrEqual(1);
          expect(matched.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(score, 3);
        }
        expect(ranked.map(({ score }) => score)).toEqual(ranked.map(({ score }) => score).toSorted((a, b) => b - a));
        expect(rankOffer(prompt, offer)).toEqual(ranked);
      }),
    );
  });
});

describe("the words of a text", () => {
  it.each([
    ["ExitWorktree", ["exit", "worktree"]],
    ["mcp__my-shop__buyThings", ["mcp", "shop", "buy", "thing"]],
    ["Reading the matches, queries and classes", ["read", "match", "query", "class"]],
    ["is it so?", []],
    ["Größe 4K", ["größe", "4k"]],
  ])("of %j are %j", (text, words) => {
    expect(wordsOf(text)).toEqual(words);
  });
});

function entry(name: string, description = "", source = "other"): RankableEntry {
  return { name, aliases: [], source, description };
}
