import { describe, expect, test } from "vitest";
import type { MessagesRequest } from "../api/messages-request.ts";
import { defineScenario, type Scenario } from "../scenarios/scenario.ts";
import { play } from "./play.ts";
import { Tally } from "./server-memory.ts";

type Messages = MessagesRequest["messages"];

describe("the place in a script", () => {
  const scenario = defineScenario({
    name: "places",
    rules: [
      {
        when: { prompt: "^build" },
        steps: [
          { say: "First." },
          { call: { tool: "Bash", input: { command: "make" } } },
          { say: "Then: {{result}}" },
          {
            call: [
              { tool: "Read", input: {} },
              { tool: "Read", input: {} },
            ],
          },
          { say: "Done." },
        ],
      },
      { when: { prompt: "^test" }, steps: [{ say: "Tested in {{cwd}}." }] },
    ],
  });

  test("is found from the responses since the prompt", () => {
    const first = textsOf(scenario, [user("build it")]);
    const second = textsOf(scenario, [user("build it"), called("a"), result("a", "made it")]);
    const third = textsOf(scenario, [user("build it"), called("a"), result("a", "x"), called("b"), result("b", "y")]);
    expect([first, second, third]).toEqual([["First.", "Bash"], ["Then: made it", "Read", "Read"], ["Done."]]);
  });

  test("begins again with a new prompt", () => {
    const messages = [user("build it"), called("a"), result("a", "x"), said("Done."), user("test it")];
    expect(textsOf(scenario, messages)).toEqual(["Tested in ."]);
  });

  test("is not moved by what the CLI puts between", () => {
    const reminder = "<system-reminder>\n - Primary working directory: /work/here\n</system-reminder>";
    const messages = [
      user(reminder, "build it"),
      called("a"),
      result("a", "made it<system-reminder>\nnever mind\n</system-reminder>"),
      user("<system-reminder>\nmore\n</system-reminder>"),
    ];
    expect(textsOf(scenario, messages)).toEqual(["Then: made it", "Read", "Read"]);
    expect(textsOf(scenario, [user(reminder, "test it")])).toEqual(["Tested in /work/here."]);
  });

  test("stays at the last word when the script is over", () => {
    const messages = [user("test it"), said("Tested."), user("<system-reminder>\na task ended\n</system-reminder>")];
    expect(textsOf(scenario, messages)).toEqual(["Tested in ."]);
  });

  test("is the newest prompt's after an interruption", () => {
    const messages = [user("build it"), said("Fir"), user("[Request interrupted by user]", "test it")];
    expect(textsOf(scenario, messages)).toEqual(["Tested in ."]);
  });
});

describe("rules", () => {
  const scenario = defineScenario({
    name: "rules",
    rules: [
      { name: "haiku", when: { model: "haiku" }, steps: [{ say: "small" }] },
      { name: "tools", when: { tools: ["Bash", "Write"] }, steps: [{ say: "handy" }] },
      { name: "system", when: { system: "pirate" }, steps: [{ say: "arr" }] },
      { name: "sub", when: { subagent: true, prompt: "^look" }, steps: [{ say: "looked" }] },
      { name: "function", when: { prompt: (prompt) => prompt.length > 20 }, steps: [{ say: "long" }] },
      {
        name: "groups",
        when: { prompt: /^(?<verb>\w+) (\w+)( twice)?$/ },
        steps: [{ say: "{{verb}}/{{2}}/{{3}}/{{other}}" }],
      },
    ],
  });

  test.each([
    [{ model: "claude-haiku-5-5" }, "x", "small"],
    [{ tools: [{ name: "Write" }, { name: "Bash" }, { name: "Read" }] }, "x", "handy"],
    [{ system: "You are a pirate." }, "x", "arr"],
    [{ system: [{ type: "text", text: "cc_is_subagent=true" }] }, "look here", "looked"],
    [{}, "this prompt has more than twenty characters", "long"],
    [{}, "paint wall", "paint/wall/{{3}}/{{other}}"],
  ])("match on %j and the prompt %j", (fields, prompt, expected) => {
    expect(textsOf(scenario, [user(prompt)], fields)).toEqual([expected]);
  });

  test("that do not match leave an answer that names them", () => {
    expect(textsOf(scenario, [user("hm")])).toEqual([
      'The offline scenario "rules" has no rule for this prompt. Its rules: haiku, tools, system, sub, function, groups.',
    ]);
  });
});

describe("alternatives", () => {
  const scenario: Scenario = {
    name: "alternatives",
    seed: 7,
    rules: [
      {
        oneOf: ["red", "green", "blue"].map((colour) => ({
          steps: [{ call: { tool: "Paint", input: { colour } } }, { say: `It is ${colour}.` }],
        })),
      },
    ],
  };

  test("differ between rollouts, and are the same in every run", () => {
    const draw = (): readonly string[] => Array.from({ length: 12 }, (_, rollout) => colourOf(scenario, rollout));
    expect(draw()).toEqual(draw());
    expect(new Set(draw())).toEqual(new Set(["red", "green", "blue"]));
    expect(draw()).not.toEqual(Array.from({ length: 12 }, (_, rollout) => colourOf({ ...scenario, seed: 8 }, rollout)));
  });

  test("are counted by session where the client names no rollout", () => {
    const tally = new Tally();
    const ask = (session: string): string => JSON.stringify(playWith(scenario, session, tally).reply.blocks);
    const first = ["a", "b", "c", "d", "e", "f"].map(ask);
    expect(["a", "b", "c", "d", "e", "f"].map(ask)).toEqual(first);
    expect(new Set(first).size).toBeGreaterThan(1);
  });

  test("are held to once drawn, by the ids of their tool calls", () => {
    for (let rollout = 0; rollout < 6; rollout += 1) {
      const colour = colourOf(scenario, rollout);
      const { reply } = play(scenario, request([user("paint")]), { tally: new Tally(), rollout });
      const messages = [user("paint"), { role: "assistant" as const, content: [...reply.blocks] }, result("x", "ok")];
      const next = play(scenario, request(messages), { tally: new Tally() });
      expect(next.reply.blocks).toEqual([{ type: "text", text: `It is ${colour}.` }]);
    }
  });

  test("are drawn by weight", () => {
    const weighted: Scenario = {
      name: "weights",
      rules: [
        {
          oneOf: [
            { weight: 9, steps: [{ say: "often" }] },
            { weight: 1, steps: [{ say: "seldom" }] },
          ],
        },
      ],
    };
    const answers = Array.from({ length: 400 }, (_, rollout) => {
      const { reply } = play(weighted, request([user("go")]), { tally: new Tally(), rollout });
      return reply.blocks[0]?.type === "text" ? reply.blocks[0].text : "";
    });
    const often = answers.filter((text) => text === "often").length;
    expect(often).toBeGreaterThan(330);
    expect(often).toBeLessThan(390);
  });
});

describe("what the CLI asks beside the conversation", () => {
  const scenario: Scenario = { name: "side", rules: [{ steps: [{ say: "the script" }] }] };

  test("never gets the script's answer", () => {
    const title = { system: "You are naming a coding session so the user can pick it out", tools: [] };
    const compaction =
      "CRITICAL: Respond with TEXT ONLY.\nYour task is to create a detailed summary of the conversation so far";
    expect(textsOf(scenario, [user("<session>\nbuild a small app\n</session>\n\nWrite the title")], title)).toEqual([
      '{"title":"build a small app"}',
    ]);
    expect(textsOf(scenario, [user("hello", compaction)])[0]).toMatch(/<summary>[\s\S]+<\/summary>/);
    expect(textsOf(scenario, [user("[SUGGESTION MODE: Suggest what the user might type next")])).toEqual([""]);
    expect(textsOf(scenario, [user("quota")], { max_tokens: 1 })).toEqual(["ok"]);
  });

  test("gets a report where it is a sub-agent that no rule is for", () => {
    const fields = { system: "cc_is_subagent=true" };
    expect(textsOf({ name: "none", rules: [] }, [user("Find the bug\nand more")], fields)).toEqual([
      "Done: Find the bug",
    ]);
  });
});

function user(...texts: string[]): Messages[number] {
  return { role: "user", content: texts.map((text) => ({ type: "text", text })) };
}

function said(text: string): Messages[number] {
  return { role: "assistant", content: [{ type: "text", text }] };
}

function called(id: string): Messages[number] {
  return { role: "assistant", content: [{ type: "tool_use", id, name: "Bash", input: {} }] };
}

function result(id: string, text: string): Messages[number] {
  return { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: text }] };
}

function request(messages: Messages, fields: object = {}): MessagesRequest {
  return { model: "claude-sonnet-5-5", max_tokens: 100, messages, ...fields };
}

function playWith(scenario: Scenario, session: string, tally: Tally): ReturnType<typeof play> {
  const metadata = { user_id: JSON.stringify({ session_id: session }) };
  return play(scenario, request([user("paint")], { metadata }), { tally });
}

function colourOf(scenario: Scenario, rollout: number): string {
  const { reply } = play(scenario, request([user("paint")]), { tally: new Tally(), rollout });
  const block = reply.blocks[0];
  return block?.type === "tool_use" ? (block.input as { colour: string }).colour : "";
}

/** What a response says, and the tools that it calls. */
function textsOf(scenario: Scenario, messages: Messages, fields: object = {}): readonly string[] {
  const { reply } = play(scenario, request(messages, fields), { tally: new Tally() });
  return reply.blocks.map((block) =>
    block.type === "text" ? block.text : block.type === "tool_use" ? block.name : "…",
  );
}
