import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { BUILT_IN_SCENARIOS, loadScenario } from "./load-scenario.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "skein-scenarios-"));
});
afterAll(() => rm(folder, { recursive: true }));

test("a built-in scenario is found by its name", async () => {
  expect(await loadScenario("todo")).toBe(BUILT_IN_SCENARIOS["todo"]);
});

test("a JSON file is read", async () => {
  const scenario = { name: "hello", seed: 1, rules: [{ when: { prompt: "^hi" }, steps: [{ say: "hello" }] }] };
  expect(await loadScenario(await write("good.json", JSON.stringify(scenario)))).toEqual(scenario);
});

test("a module is read by its export", async () => {
  const path = await write(
    "good.mjs",
    `export const scenario = { name: "m", rules: [{ steps: () => [{ say: "hi" }] }] };`,
  );
  expect(await loadScenario(path)).toMatchObject({ name: "m" });
});

test.each([
  ["not JSON", "{", /is not JSON/],
  ["a list", "[]", /at its root: .*expected object/],
  ["no rules", { name: "x" }, /at rules: .*expected array/],
  ["a rule of nothing", { name: "x", rules: [{}] }, /at rules\[0\]: expected either steps or oneOf/],
  ["an unknown key", { name: "x", rules: [], extra: 1 }, /at its root: .*extra/],
  [
    "a step that is none",
    { name: "x", rules: [{ steps: [{ shout: "a" }] }] },
    /at rules\[0\]\.steps\[0\]: expected a step.*say, think, call/,
  ],
  [
    "a text that is none",
    { name: "x", rules: [{ steps: [{ say: 1 }] }] },
    /at rules\[0\]\.steps\[0\]\.say: .*expected string/,
  ],
  [
    "a call without input",
    { name: "x", rules: [{ steps: [{ call: { tool: "Bash" } }] }] },
    /at rules\[0\]\.steps\[0\]\.call\.input: .*expected record/,
  ],
  [
    "a bad expression",
    { name: "x", rules: [{ when: { prompt: "(" }, steps: [{ say: "a" }] }] },
    /at rules\[0\]\.when\.prompt: not a regular expression/,
  ],
  [
    "a bad status",
    { name: "x", rules: [{ steps: [{ fail: { type: "http", status: 418 } }] }] },
    /at rules\[0\]\.steps\[0\]\.fail\.status/,
  ],
  [
    "a bad weight",
    { name: "x", rules: [{ oneOf: [{ weight: 0, steps: [{ say: "a" }] }] }] },
    /at rules\[0\]\.oneOf\[0\]\.weight/,
  ],
])("%s is refused with the file, the place and what was expected", async (name, content, message) => {
  const path = await write(`${name}.json`, typeof content === "string" ? content : JSON.stringify(content));
  await expect(loadScenario(path)).rejects.toMatchObject({
    kind: "parse",
    target: path,
    message: expect.stringMatching(message),
  });
});

test("a file that is not there is refused, with the names that are", async () => {
  await expect(loadScenario("nowhere.json")).rejects.toMatchObject({
    kind: "filesystem",
    target: "nowhere.json",
    hint: "Give the path of a scenario file, or one of todo, team, direct.",
  });
});

async function write(name: string, content: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}
