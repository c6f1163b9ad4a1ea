import { type Context, defineScenario, type Scenario, type Step, type ToolCall } from "./scenario.ts";
import { APP_FILES, STORE_TEST_SOURCE } from "./todo/app-files.ts";
import { DUE_DATE_EDITS, DUE_DATES_TEST_SOURCE } from "./todo/due-dates.ts";
import { UI_REACT } from "./todo/ui-react.ts";
import { UI_VANILLA } from "./todo/ui-vanilla.ts";
import type { UiVariant } from "./todo/ui-variant.ts";
import { UI_VUE } from "./todo/ui-vue.ts";

/** The prompts that take the scenario from an empty folder to a tested app with a feature added. */
export const TODO_PROMPTS: readonly string[] = ["Build a TODO app", "Add tests", "Add a feature: due dates"];

const MENU = [...TODO_PROMPTS, "Build the UI", "Build the UI with vanilla JS (or React, or Vue)"]
  .map((prompt) => `- ${prompt}`)
  .join("\n");

/** "Build a TODO app", "make me a to-do list program". */
const ASKS_FOR_APP =
  /\b(?:build|make|create|write|develop|implement|generate|start|set up|need|want|give)\s+(?:(?!(?:for|of|in|to)\b)[\w'-]+\s+){0,5}(?:to-?do\b|to do (?:app|list|program|manager|tool))/i;

/** "Add tests", "write some unit tests for it", "cover it with tests". */
const ASKS_FOR_TESTS = /\b(?:add|write|create|make|cover|include|implement)\s+(?:[\w'-]+\s+){0,4}tests?\b|^\s*test\b/i;

/** "Add a feature: due dates", "support deadlines", and a feature that is left to the model. */
const ASKS_FOR_DUE_DATES =
  /\b(?:add|support|implement|introduce|include|give|allow)\b(?:(?!\btests?\b)[^.?!\n])*\b(?:due[\s-]?dates?|deadlines?)\b|\badd (?:a|another|some) (?:\w+ )?feature[.!\s]*$/i;

const ASKS_FOR_UI =
  /\b(?:build|make|create|write|develop|implement|design|add)\s+(?:(?!(?:with|using|tests?)\b)[\w'-]+\s+){0,5}(?:ui|interface|front-?end)\b/i;

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
  { call: onFile("Read", "src/todo.js") },
  { call: writeFiles({ "test/todo.test.js": STORE_TEST_SOURCE }) },
  { call: bash("node --test", "Run the tests") },
  { say: ({ result }) => `I added tests for the store in test/todo.test.js. ${describeTestRun(result)}` },
];

const dueDateEdits = Object.entries(DUE_DATE_EDITS).flatMap(([path, edits]) =>
  edits.map(([from, to]) => onFile("Edit", path, { old_string: from, new_string: to })),
);

const dueDateSteps: readonly Step[] = [
  { think: "Due dates touch the store, the command line and the README. An edit needs the file as it is now." },
  { say: "I will add due dates to the store and to the command line. First I read what is there." },
  { call: ["src/todo.js", "src/cli.js", "README.md"].map((path) => onFile("Read", path)) },
  { call: dueDateEdits },
  { call: writeFiles({ "test/due-dates.test.js": DUE_DATES_TEST_SOURCE }) },
  { call: bash("node --test", "Run the tests") },
  { say: describeDueDates },
];

/** The ways to build the UI: what names one, and how often it is drawn where none is named. */
const UIS = [
  { name: "ui-vanilla", framework: /\b(?:vanilla|plain)\b/i, weight: 2, steps: uiSteps(UI_VANILLA) },
  { name: "ui-react", framework: /\breact\b/i, weight: 1, steps: uiSteps(UI_REACT) },
  { name: "ui-vue", framework: /\bvue\b/i, weight: 1, steps: uiSteps(UI_VUE) },
];

/** Builds a small TODO app with tests, adds due dates to it, and builds its UI in one of three ways. */
export const todoScenario: Scenario = defineScenario({
  name: "todo",
  description: "Builds a small TODO app with tests, adds due dates, builds a UI in one of three ways",
  rules: [
    { name: "due-dates", when: { prompt: ASKS_FOR_DUE_DATES }, steps: dueDateSteps },
    ...UIS.map(({ name, framework, steps }) => ({ name, when: { prompt: asksForUi(framework) }, steps })),
    { name: "ui", when: { prompt: asksForUi() }, oneOf: UIS.map(({ weight, steps }) => ({ weight, steps })) },
    { name: "build", when: { prompt: ASKS_FOR_APP }, steps: buildSteps },
    { name: "tests", when: { prompt: ASKS_FOR_TESTS }, steps: testSteps },
  ],
  otherwise: [
    {
      say: `I only play the scenario "todo", and it has no script for this prompt. It has one for each of these:\n\n${MENU}`,
    },
  ],
});

/** "Build the UI", and where a framework is given, only with its name: "Build the UI with Vue". */
function asksForUi(framework = /(?:)/): (prompt: string) => boolean {
  return (prompt) => ASKS_FOR_UI.test(prompt) && framework.test(prompt);
}

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
  return Object.entries(files).map(([path, content]) => onFile("Write", path, { content }));
}

function onFile(tool: "Read" | "Write" | "Edit", path: string, input: ToolCall["input"] = {}): ToolCall {
  return { tool, input: { file_path: `{{cwd}}/${path}`, ...input } };
}

function bash(command: string, description: string): ToolCall {
  return { tool: "Bash", input: { command, description } };
}

/** Says in one sentence what `node --test` printed; all of it where it holds no counts. */
export function describeTestRun(output: string): string {
  const pass = countOf("pass", output);
  const fail = countOf("fail", output);
  const todo = countOf("todo", output);
  if (pass === undefined || fail === undefined) return `The tests did not run:\n\n${output}`;
  const open = todo ? `, ${todo} still to be written` : "";
  return fail === 0
    ? `All ${pass} tests pass${open}.`
    : `${pass} of ${pass + fail} tests pass and ${fail} ${fail === 1 ? "fails" : "fail"}${open}.`;
}

/** The summary line of a count: `# pass 7` in TAP, `ℹ pass 7` for people. */
function countOf(name: string, output: string): number | undefined {
  const match = new RegExp(`^\\S+ ${name} (\\d+)$`, "m").exec(output);
  return match ? Number(match[1]) : undefined;
}
