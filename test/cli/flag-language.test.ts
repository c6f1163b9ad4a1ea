import { expect, it } from "vitest";
import { z } from "zod";
import { COMMANDS } from "../../src/cli/commands.ts";
import { describeCommand, flagsOf, type Flag } from "../../src/protocol/command/describe-command.ts";
import { ErrorData } from "../../src/protocol/command/envelope.ts";
import { MCP_TOOLS } from "../../src/protocol/mcp/mcp-tools.ts";
import { fromWireKey } from "../../src/protocol/command/wire-keys.ts";
import { runInProcess } from "./support/in-process.ts";
import { scenarioFile } from "./support/scenario-file.ts";
import { readEnvelope, runSkein } from "./support/skein.ts";

/** The one word for each of the things that many commands take. Everything else whose name matches is a second word. */
const WORDS: readonly { readonly about: RegExp; readonly words: readonly string[] }[] = [
  // `branch` makes the directory that its argument names; no command works in it.
  { about: /cwd|director|folder/iu, words: ["--cwd", "--remote-cwd", "<directory>"] },
  { about: /time-?out|seconds|duration/iu, words: ["--timeout", "--idle-timeout", "--ask-timeout"] },
  { about: /budget|cost|usd|spend/iu, words: ["--max-cost-usd", "--max-conversation-cost-usd", "--min-cost-usd"] },
  // The last is a server's secret, by which programs ask it.
  { about: /token/iu, words: ["--max-tokens", "--max-thinking-tokens", "--token-file"] },
  { about: /turns|prompts/iu, words: ["--max-turns", "--compact-after-turns"] },
  { about: /responses|requests/iu, words: ["--max-responses"] },
];

const FLAGS = COMMANDS.flatMap((command) => flagsOf(command).map((flag) => ({ command: command.name, flag })));

it("has one word for each thing, in all commands", () => {
  const second = FLAGS.filter(({ flag: { name } }) =>
    WORDS.some(({ about, words }) => about.test(name) && !words.includes(name)),
  );
  expect(second.map(({ command, flag }) => `${command} ${flag.name}`)).toEqual([]);
});

it("gives no word two meanings: a flag takes the same kind of value in all commands", () => {
  const kinds = new Map<string, Set<string>>();
  for (const { flag } of FLAGS) kinds.set(flag.name, new Set([...(kinds.get(flag.name) ?? []), kindOf(flag)]));
  // Both open what the command is about: a page has one way to be opened, a state has two. A search tries several prompts, a turn has one.
  // A turn goes on with a session, a team with itself.
  expect([...kinds].filter(([, own]) => own.size > 1)).toEqual([
    ["--resume", new Set(["string session", "string team"])],
    ["--prompt", new Set(["array prompt", "string prompt"])],
    ["--open", new Set(["string how", "boolean undefined"])],
  ]);
});

function kindOf({ type, label }: Flag): string {
  return `${type} ${label}`;
}

it("publishes schemas whose keys are all snake_case", () => {
  const published = COMMANDS.flatMap((command) => {
    const { args, data, flags, positional } = describeCommand(command);
    const keys = [...keysOfSchema(args), ...keysOfSchema(data), ...Object.keys(flags), ...positional];
    return keys.map((key) => `${command.name}: ${key}`);
  });
  const others = [
    ...keysOfSchema(z.toJSONSchema(ErrorData)),
    ...MCP_TOOLS.flatMap(({ fields, opens = {} }) => [...fields, ...Object.values(opens).flat()]),
  ];
  expect(published.length).toBeGreaterThan(1000);
  expect([...published, ...others].filter((key) => /[A-Z]/u.test(key))).toEqual([]);
});

it("offers by MCP only what the commands have", () => {
  const unknown = MCP_TOOLS.flatMap(({ command, fields, opens = {}, budget }) => {
    const own = describeCommand(COMMANDS.find(({ name }) => name === command)!).args["properties"] as object;
    const named = [...fields, ...Object.values(opens).flat(), ...(budget === undefined ? [] : [budget])];
    return named.filter((field) => !Object.hasOwn(own, field));
  });
  expect(unknown).toEqual([]);
});

function keysOfSchema(schema: unknown): readonly string[] {
  if (Array.isArray(schema)) return schema.flatMap(keysOfSchema);
  if (typeof schema !== "object" || schema === null) return [];
  return Object.entries(schema).flatMap(([word, inner]) => {
    if (word !== "properties") return keysOfSchema(inner);
    return Object.entries(inner as object).flatMap(([key, value]) => [key, ...keysOfSchema(value)]);
  });
}

it("writes events whose keys are snake_case, and leaves what the SDK and tools say as it is", async () => {
  const scenario = await scenarioFile([
    { call: { tool: "Write", input: { file_path: "{{cwd}}/a.txt", content: "a" } } },
    { say: "Done." },
  ]);
  const { stdout } = await runSkein(["run", "Write it", "--offline", scenario, "--output-format", "stream-json"]);
  const lines = stdout.trimEnd().split("\n");
  const events = lines.slice(0, -1).map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(events.flatMap(ownKeys).filter((key) => /[A-Z]/u.test(key))).toEqual([]);
  expect(events.find(({ type }) => type === "turn-end")).toMatchObject({
    session_id: expect.any(String),
    raw: { modelUsage: expect.any(Object) },
    result: { responses: 2, is_error: false, usage_by_model: expect.any(Object), cost_usd: expect.any(Number) },
  });
  expect(events.find(({ type }) => type === "state-recorded")).toMatchObject({ state_id: expect.any(String) });
});

function ownKeys(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(ownKeys);
  if (typeof value !== "object" || value === null) return [];
  const isKept = (key: string): boolean => ["raw", "input", "output", "structuredOutput"].includes(fromWireKey(key));
  return Object.entries(value).flatMap(([key, inner]) => [key, ...(isKept(key) ? [] : ownKeys(inner))]);
}

it.each([
  [["list-sessions", "--directory", "x"], "--cwd"],
  [["demo", "--directory=x"], "--cwd"],
  [["turn-loop", "x", "--timeout-seconds", "3"], "--timeout"],
  [["turn-loop", "x", "--max-budget-tokens", "3"], "--max-tokens"],
  [["run", "x", "--max-budget-usd", "1"], "--max-cost-usd"],
  [["run", "x", "--max-turns", "1"], "--max-responses"],
  [["explore", "--budget-usd", "1"], "--max-cost-usd"],
  [["turn-loop", "x", "--structured-output", "{}"], "--json-schema"],
  [["run", "x", "--dangerously-skip-permissions"], "--permission-mode bypassPermissions"],
  [["run", "x", "--verbose"], "--output-format stream-json"],
  [["run", "--print", "x"], "the prompt alone, without --print"],
  [["run", "-p", "x"], "the prompt alone, without -p"],
  [["ssh-mode", "host", "x", "--remote-directory", "y"], "--remote-cwd"],
])("answers a word that it does not have with its own: %j", async (words, own) => {
  const { stdout } = await runInProcess([...words, "--output-format", "json"]);
  expect(readEnvelope(stdout)).toMatchObject({ error: { kind: "usage", hint: `Did you mean ${own}?` } });
});
