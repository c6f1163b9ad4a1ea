import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import type { MessagesRequest } from "../api/messages-request.ts";
import { play } from "../model/play.ts";
import { Tally } from "../model/server-memory.ts";
import { BUILT_IN_SCENARIOS, loadScenario } from "./load-scenario.ts";
import { checkScenario } from "./scenario.ts";

const HELLO = "examples/scenarios/hello.json";

test("the scenario in the guide is the example file", async () => {
  const guide = await readFile("docs/guide/offline-model.md", "utf8");
  const [, shown = ""] = /```json\n([^]*?)```/.exec(guide) ?? [];
  expect(JSON.parse(shown)).toEqual(JSON.parse(await readFile(HELLO, "utf8")));
});

test("the example file plays as the guide says", async () => {
  const hello = await loadScenario(HELLO);
  const answer = (prompt: string, rollout = 0) => play(hello, requestFor(prompt), { tally: new Tally(), rollout });

  expect(answer("Please greet Ada").reply.blocks.at(-1)).toMatchObject({
    name: "Write",
    input: { file_path: "/app/hello.txt", content: "Hello, Ada!" },
  });
  expect(answer("Are you busy?").fault).toEqual({ type: "http", status: 529, times: 1 });
  const draws = [0, 1, 2, 3, 4, 5].map((rollout) => answer("Flip a coin", rollout).reply.blocks);
  expect(new Set(draws.flat().map((block) => "text" in block && block.text))).toEqual(new Set(["Heads.", "Tails."]));
});

test("the scenarios that are built in are valid", () => {
  expect(Object.keys(BUILT_IN_SCENARIOS)).toEqual(["todo", "team", "direct"]);
  for (const [name, scenario] of Object.entries(BUILT_IN_SCENARIOS)) {
    expect(checkScenario(scenario, name).name).toBe(name);
  }
});

function requestFor(prompt: string): MessagesRequest {
  return {
    model: "claude-sonnet-4-5",
    max_tokens: 1000,
    system: "Primary working directory: /app",
    tools: [{ name: "Write" }, { name: "Bash" }],
    messages: [{ role: "user", content: prompt }],
  };
}
