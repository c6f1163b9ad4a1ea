import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { writeFiles } from "./story-engine.mjs";

const SKEIN = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

const GUIDE = `The parser reads a table in one pass. It looks at one letter at a time and is always in one of three states: outside of a field, in a field, or in a quoted field.

A comma ends a field, a line feed ends a row, and a quote begins or ends a quoted field. Two quotes inside of a quoted field are one. Nothing is copied until a field ends, so a table of ten megabytes makes as many strings as it has fields, and no more.

Three things are worth knowing before you change it. Positions are kept as numbers, and \`slice\` is called once for each field. A carriage return before a line feed belongs to the end of the row. And a quote that is never closed is an error which names the row where it began, not the last one.`;

const PLAN = `# Move the inventory to SQLite

1. Write \`src/store.ts\` with \`openStore\`, \`put\` and \`take\`, and a test of each.
2. Read the old JSON file once, when there is no database yet.
3. Take the JSON file's code out, in a commit of its own.

Nothing is deleted: the old file stays where it is.`;

/** What the offline model does in the runs that are going on when a picture is taken. */
const SCENARIO = {
  name: "live",
  rules: [
    {
      when: { prompt: "publish version" },
      steps: [
        { say: "All tests pass. I publish what is in `dist`." },
        {
          call: {
            tool: "Bash",
            input: {
              command: "npm version minor\nnpm publish --access public",
              description: "Publish the package",
              dangerouslyDisableSandbox: true,
            },
          },
        },
        { say: "I leave it unpublished." },
      ],
    },
    {
      when: { prompt: "round every total" },
      steps: [
        { call: { tool: "Read", input: { file_path: "{{cwd}}/src/cart.ts" } } },
        { say: "The sum can be a fraction of a cent when a discount is in it." },
        {
          call: {
            tool: "Edit",
            input: {
              file_path: "{{cwd}}/src/cart.ts",
              old_string: "  return sum;\n}",
              new_string: "  return Math.round(sum);\n}",
            },
          },
        },
        { say: "Then it stays as it is." },
      ],
    },
    {
      when: { prompt: "settings page" },
      steps: [
        { say: "Two things are for you to decide." },
        {
          call: {
            tool: "AskUserQuestion",
            input: {
              questions: [
                {
                  question: "Where should settings be kept?",
                  header: "Storage",
                  multiSelect: false,
                  options: [
                    { label: "In the browser", description: "Nothing to set up; each device has its own" },
                    { label: "On the server", description: "The same everywhere, needs an account" },
                  ],
                },
                {
                  question: "Which settings come first?",
                  header: "Scope",
                  multiSelect: true,
                  options: [
                    { label: "Theme", description: "Light, dark, or the system's" },
                    { label: "Language", description: "English and German" },
                    { label: "Currency", description: "Dollars or yen" },
                  ],
                },
              ],
            },
          },
        },
        { say: "Then I do so." },
      ],
    },
    {
      when: { prompt: "move the inventory" },
      steps: [
        { call: { tool: "Read", input: { file_path: "{{cwd}}/README.md" } } },
        { say: PLAN },
        { call: { tool: "ExitPlanMode", input: {} } },
        { say: "Then not." },
      ],
    },
    {
      when: { prompt: "describe how the parser" },
      steps: [
        { think: "The reader should know the states first, then what is copied." },
        { call: { tool: "Bash", input: { command: "wc -l src/*.ts", description: "Count the lines" } } },
        { fail: { type: "drip", tokensPerSecond: 10 } },
        { say: GUIDE.repeat(20) },
      ],
    },
  ],
  otherwise: [{ say: "Done." }],
};

/** Runs that wait for a person: two permissions, a question, a plan. One more writes, slowly. */
const RUNS = [
  { directory: "todo", prompt: "Publish version 1.4 of the package", flags: ["--permission-mode", "default"] },
  { directory: "till", prompt: "Round every total to whole cents", flags: ["--permission-mode", "default"] },
  { directory: "settings", prompt: "Build the settings page", flags: [] },
  { directory: "inventory", prompt: "Move the inventory from JSON to SQLite", flags: ["--permission-mode", "plan"] },
  { directory: "csv-guide", prompt: "Describe how the parser works, for somebody who wants to change it", flags: [] },
];

const FILES = {
  "till/src/cart.ts":
    "export function total(cents: readonly number[]): number {\n  let sum = 0;\n  for (const each of cents) sum += each;\n  return sum;\n}\n",
  "settings/README.md": "# Settings\n",
  "inventory/README.md": "# Inventory\n\nWhat is in the shelves, as one JSON file.\n",
  "csv-guide/src/parse.ts":
    "export const parse = (text: string) => text.split('\\n').map((line) => line.split(','));\n",
};

/** Starts the runs that wait for a person or write slowly, and gives what ends them. A server has to run already for those that ask. */
export function startLiveRuns({ work, env }, only = RUNS.map(({ directory }) => directory)) {
  const scenario = join(work, "..", "live.json");
  writeFiles({ [scenario]: JSON.stringify(SCENARIO) });
  writeFiles(FILES, work);
  const children = RUNS.filter(({ directory }) => only.includes(directory)).map(({ directory, prompt, flags }) => {
    const args = ["run", prompt, "--offline", scenario, "--ask", "remote", "--cwd", join(work, directory), ...flags];
    return spawn(process.execPath, [SKEIN, ...args], { env, stdio: "ignore" });
  });
  return {
    async stop() {
      for (const child of children) child.kill("SIGTERM");
      for (const child of children)
        if (child.exitCode === null && child.signalCode === null) await once(child, "close");
    },
  };
}
