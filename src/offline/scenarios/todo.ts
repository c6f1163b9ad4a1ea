import { defineScenario, type Context, type Scenario, type Step, type ToolCall } from "../scenario.ts";
import { APP_FILES } from "./todo/app-files.ts";
import { describeTestRun } from "./todo/describe-test-run.ts";
import { DUE_DATES_TEST_SOURCE } from "./todo/due-dates-test-source.ts";
import { DUE_DATE_EDITS } from "./todo/due-dates.ts";
import { ASKS_FOR_APP, ASKS_FOR_DUE_DATES, ASKS_FOR_TESTS, asksForUi } from "./todo/prompts.ts";
import { STORE_TEST_SOURCE } from "./todo/store-test-source.ts";
import { UI_REACT } from "./todo/ui-react.ts";
import { UI_VANILLA } from "./todo/ui-vanilla.ts";
import type { UiVariant } from "./todo/ui-variant.ts";
import { UI_VUE } from "./todo/ui-vue.ts";

/** The prompts that take the scenario from an empty folder to a tested app with a feature added. */
export const TODO_PROMPTS: readonly string[] = ["Build a TODO app", "Add tests", "Add a feature: due dates"];

const MENU = [...TODO_PROMPTS, "Build the UI", "Build the UI with vanilla JS (or React, or Vue)"]
  .map((prompt) => `- ${prompt}`)
  .join("\n");

const buildSteps: readonly Step[] = [
  { think: "A TODO list needs a store and a way to use it. Plain Node will do, with the list in a JSON file." },
  { say: "I will build a small TODO app in plain Node: a store, a command line and a README." },
  { call: writeFiles(APP_FILES) },
  { say: "Now I try it." },
  { call: bash('node src/cli.js add "Buy milk" && node src/cli.js list', "Add a todo and list it") },
  { say: "The TODO app is built. It adds, lists, completes and removes todos. I tried it:\n\n{{result}}" },
];

const testSteps: readonly Step[] = [
  { say: "I will read the store first, to test what it promises." },
  { call: read("src/todo.js") },
  { call: writeFiles({ "test/todo.test.js": STORE_TEST_SOURCE }) },
  { call: bash("node --test", "Run the tests") },
  { say: ({ result }) => `I added tests for the store in test/todo.test.js. ${describeTestRun(result)}` },
];

const dueDateSteps: readonly Step[] = [
  { think: "Due dates touch the store, the command line and the README. An edit needs the file as it is now." },
  { say: "I will add due dates to the store and to the command line. First I read what is there." },
  { call: ["src/todo.js", "src/cli.js", "README.md"].map(read) },
  { call: DUE_DATE_EDITS.map(({ path, from, to }) => edit(path, from, to)) },
  { call: writeFiles({ "test/due-dates.test.js": DUE_DATES_TEST_SOURCE }) },
  { call: bash("node --test", "Run the tests") },
  { say: describeDueDates },
];

/** Builds a small TODO app with tests, adds due dates to it, and builds its UI in one of three ways. */
export const todoScenario: Scenario = defineScenario({
  name: "todo",
  description: "Builds a small TODO app with tests, adds due dates, builds a UI in one of three ways",
  rules: [
    { name: "due-dates", when: { prompt: ASKS_FOR_DUE_DATES }, steps: dueDateSteps },
    { name: "ui-vanilla", when: { prompt: asksForUi(/\b(?:vanilla|plain)\b/i) }, steps: uiSteps(UI_VANILLA) },
    { name: "ui-react", when: { prompt: asksForUi(/\breact\b/i) }, steps: uiSteps(UI_REACT) },
    { name: "ui-vue", when: { prompt: asksForUi(/\bvue\b/i) }, steps: uiSteps(UI_VUE) },
    {
      name: "ui",
      when: { prompt: asksForUi() },
      oneOf: [
        { weight: 2, steps: uiSteps(UI_VANILLA) },
        { weight: 1, steps: uiSteps(UI_REACT) },
        { weight: 1, steps: uiSteps(UI_VUE) },
      ],
    },
    { name: "build", when: { prompt: ASKS_FOR_APP }, steps: buildSteps },
    { name: "tests", when: { prompt: ASKS_FOR_TESTS }, steps: testSteps },
  ],
  otherwise: [
    {
      say: `I only play the scenario "todo", and it has no script for this prompt. It has one for each of these:\n\n${MENU}`,
    },
  ],
});

function uiSteps({ framework, approach, files }: UiVariant): readonly Step[] {
  return [
    { say: `I will build the UI with ${framework}: ${approach}.` },
    { call: writeFiles(files) },
    { call: bash("node --test test/ui.test.js", "Run the tests of the UI") },
    { say: ({ result }) => `The UI is in ui/index.html; open it in a browser. ${describeTestRun(result)}` },
  ];
}

function describeDueDates({ result, results }: Context): string {
  const isRefused = results.slice(0, -1).some(({ isError }) => isError);
  return isRefused
    ? `I could not add due dates: the files here are not those of the app as I built it. ${describeTestRun(result)}`
    : `A todo can now have a due date (add --due 2030-01-31), and list --overdue shows what is late. ${describeTestRun(result)}`;
}

function writeFiles(files: Readonly<Record<string, string>>): readonly ToolCall[] {
  return Object.entries(files).map(([path, content]) => ({
    tool: "Write",
    input: { file_path: `{{cwd}}/${path}`, content },
  }));
}

function read(path: string): ToolCall {
  return { tool: "Read", input: { file_path: `{{cwd}}/${path}` } };
}

function edit(path: string, from: string, to: string): ToolCall {
  return { tool: "Edit", input: { file_path: `{{cwd}}/${path}`, old_string: from, new_string: to } };
}

function bash(command: string, description: string): ToolCall {
  return { tool: "Bash", input: { command, description } };
}
