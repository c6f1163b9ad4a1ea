import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { MessagesRequest } from "../api/messages-request.ts";
import { readConversation } from "../model/conversation.ts";
import { matchRule } from "../model/match-rule.ts";
import { play } from "../model/play.ts";
import { Tally } from "../model/server-memory.ts";
import type { Rule } from "./scenario.ts";
import { TODO_PROMPTS, todoScenario } from "./todo.ts";

let cwd: string;

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), "skein-todo-"));
});

afterEach(async () => {
  await rm(cwd, { recursive: true, force: true });
});

describe("the app", () => {
  test("works after the first prompt", async () => {
    const answer = await perform("Build a TODO app");

    expect(answer).toContain("Added 1. [ ] Buy milk\n1. [ ] Buy milk");
    expect(await shell("node src/cli.js done 1 && node src/cli.js remove 1 && node src/cli.js list")).toBe(
      "Completed 1. [x] Buy milk\nRemoved 1. [x] Buy milk\nNothing to do.\n",
    );
  });

  test("passes its tests after each later prompt", async () => {
    const answers = [];
    for (const prompt of TODO_PROMPTS) answers.push(await perform(prompt));

    expect(answers[1]).toContain("All 7 tests pass.");
    expect(answers[2]).toContain("All 10 tests pass.");
    expect(await shell("node src/cli.js add Pay the rent --due 2020-01-31 && node src/cli.js list --overdue")).toBe(
      "Added 2. [ ] Pay the rent (due 2020-01-31)\n2. [ ] Pay the rent (due 2020-01-31)\n",
    );
  });

  test("says that the tests fail where there is no app", async () => {
    expect(await perform("Add tests")).toContain("0 of 1 tests pass and 1 fails.");
  });

  test("says that it cannot get due dates where there is no app", async () => {
    expect(await perform("Add due dates")).toContain("I could not add due dates");
  });
});

describe("the variants of the UI", () => {
  test("differ in their tests and in their size", async () => {
    const seen: Record<string, string> = {};
    const sizes: Record<string, number> = {};
    for (const name of ["vanilla JS", "React", "Vue"]) {
      seen[name] = (await perform(`Build the UI with ${name}`)).split("browser. ")[1] ?? "";
      sizes[name] = (await stat(join(cwd, "ui/app.js"))).size;
    }

    expect(seen).toEqual({
      "vanilla JS": "All 8 tests pass.",
      React: "All 7 tests pass, 1 still to be written.",
      Vue: "7 of 8 tests pass and 1 fails.",
    });
    expect(
      Object.entries(sizes)
        .toSorted(([, one], [, other]) => one - other)
        .map(([name]) => name),
    ).toEqual(["vanilla JS", "Vue", "React"]);
  });

  test("are drawn by weight where none is named, the same way every time", () => {
    const draw = (): string[] => Array.from({ length: 8 }, (_, rollout) => firstWords("Build the UI", rollout));

    expect(draw()).toEqual(draw());
    expect(new Set(draw())).toEqual(
      new Set(["vanilla JS", "React", "Vue"].map((name) => firstWords(`Build the UI with ${name}`, 0))),
    );
  });
});

describe("a prompt", () => {
  test.each([
    ["Build a TODO app", "build"],
    ["build me a todo app please", "build"],
    ["Please make me a to-do list program", "build"],
    ["I want a simple to do list", "build"],
    ["Create a TODO application with tests", "build"],
    ["Build a todo app with due dates", "build"],
    ["Build a todo app with a React UI", "build"],
    ["Add tests", "tests"],
    ["Write some unit tests for the todo app", "tests"],
    ["Cover it with tests", "tests"],
    ["Test the app", "tests"],
    ["Add tests for the due dates", "tests"],
    ["Add a feature: due dates", "due-dates"],
    ["add due dates to the todo app", "due-dates"],
    ["Make the todo app support deadlines", "due-dates"],
    ["Add another feature.", "due-dates"],
    ["Build the UI with Vue", "ui-vue"],
    ["Build the UI with React", "ui-react"],
    ["Build the UI with vanilla JS", "ui-vanilla"],
    ["create a web interface in plain JavaScript", "ui-vanilla"],
    ["Build the UI", "ui"],
    ["Build a front-end for the todo app", "ui"],
    ["Add a feature: priorities", undefined],
    ["What do you want to do today?", undefined],
    ["Run the tests", undefined],
  ])("%j is answered by %s", (prompt, rule) => {
    expect(ruleFor(prompt)?.name).toBe(rule);
  });

  test("that has no script is answered with those that have one", async () => {
    const answer = await perform("Dance");
    for (const prompt of TODO_PROMPTS) expect(answer).toContain(`- ${prompt}`);
  });
});

function requestFor(prompt: string): MessagesRequest {
  return {
    model: "claude-sonnet-4-5",
    max_tokens: 1000,
    system: `Primary working directory: ${cwd}`,
    messages: [{ role: "user", content: prompt }],
  };
}

function ruleFor(prompt: string): Rule | undefined {
  const request = requestFor(prompt);
  return matchRule(todoScenario.rules, request, readConversation(request))?.rule;
}

function firstWords(prompt: string, rollout: number): string {
  const { reply } = play(todoScenario, requestFor(prompt), { tally: new Tally(), rollout });
  const [block] = reply.blocks;
  return block?.type === "text" ? block.text : "";
}

/** Plays one prompt to its end as the CLI does, with tools that do as little as will do. */
async function perform(prompt: string): Promise<string> {
  const request = requestFor(prompt);
  for (;;) {
    const { reply } = play(todoScenario, request, { tally: new Tally() });
    const results = [];
    for (const block of reply.blocks) {
      if (block.type !== "tool_use") continue;
      const outcome = await useTool(block.name, block.input as Record<string, string>).then(
        (content) => ({ content, is_error: false }),
        (error: unknown) => ({ content: String(error), is_error: true }),
      );
      results.push({ type: "tool_result", tool_use_id: block.id, ...outcome });
    }
    if (results.length === 0) return reply.blocks.map((block) => ("text" in block ? block.text : "")).join("\n");
    request.messages.push({ role: "assistant", content: [...reply.blocks] }, { role: "user", content: results });
  }
}

async function useTool(name: string, input: Record<string, string>): Promise<string> {
  const { file_path: path = "", content = "", old_string: from = "", new_string: to = "", command = "" } = input;
  switch (name) {
    case "Write":
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, content);
      return "Written";
    case "Edit":
      await writeFile(path, replaceOnce(await readFile(path, "utf8"), from, to));
      return "Edited";
    case "Read":
      return await readFile(path, "utf8");
    case "Bash":
      return await shell(command);
    default:
      throw new Error(`No such tool: ${name}`);
  }
}

function replaceOnce(text: string, from: string, to: string): string {
  const [before, after, ...more] = text.split(from);
  if (after === undefined || more.length > 0) throw new Error(`Not exactly once in the file: ${from}`);
  return `${before}${to}${after}`;
}

/** What a command prints; one that fails prints too. */
async function shell(command: string): Promise<string> {
  const options = { cwd, env: { PATH: process.env["PATH"] } };
  return await new Promise((resolve) => {
    execFile("sh", ["-c", command], options, (_, stdout, stderr) => resolve(stdout + stderr));
  });
}
