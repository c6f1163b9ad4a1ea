/** What due dates change in the app: pieces of its files, and what takes their place. */
export const DUE_DATE_EDITS: Readonly<Record<string, readonly (readonly [from: string, to: string])[]>> = {
  "src/todo.js": [
    [
      `    add(title) {
      if (!title.trim()) throw new Error("A todo needs a title");`,
      `    add(title, due) {
      if (!title.trim()) throw new Error("A todo needs a title");
      if (due !== undefined && !isDate(due)) throw new Error("Not a date like 2030-01-31: " + due);`,
    ],
    [`title: title.trim(), done: false };`, `title: title.trim(), done: false, ...(due && { due }) };`],
    [
      `    list() {
      return [...todos];
    },
`,
      `    list() {
      return [...todos];
    },

    /** What was due before the given day and is still open. */
    overdue(today = new Date().toISOString().slice(0, 10)) {
      return todos.filter((todo) => !todo.done && todo.due < today);
    },
`,
    ],
    [
      `/** Opens the todos`,
      `/** Whether a text is a day of the calendar, written as 2030-01-31. */
function isDate(text) {
  const date = new Date(text + "T00:00:00Z");
  return !Number.isNaN(date.getTime()) && date.toISOString().slice(0, 10) === text;
}

/** Opens the todos`,
    ],
  ],
  "src/cli.js": [
    [
      `import { openTodos } from "./todo.js";

const USAGE = "Usage: node src/cli.js add <title> | list | done <id> | remove <id>";`,
      `import { parseArgs } from "node:util";
import { openTodos } from "./todo.js";

const USAGE = "Usage: node src/cli.js add <title> [--due YYYY-MM-DD] | list [--overdue] | done <id> | remove <id>";
const OPTIONS = { due: { type: "string" }, overdue: { type: "boolean" } };`,
    ],
    [
      `function run([command, ...args]) {
  switch`,
      `function run(argv) {
  const { positionals, values } = parseArgs({ args: argv, options: OPTIONS, allowPositionals: true });
  const [command, ...args] = positionals;
  switch`,
    ],
    [`todos.add(args.join(" "))`, `todos.add(args.join(" "), values.due)`],
    [`return todos.list().map(show)`, `return (values.overdue ? todos.overdue() : todos.list()).map(show)`],
    [`"] " + todo.title;`, `"] " + todo.title + (todo.due ? " (due " + todo.due + ")" : "");`],
  ],
  "README.md": [
    [
      `    node src/cli.js list
`,
      `    node src/cli.js add "Pay the rent" --due 2030-01-31
    node src/cli.js list
    node src/cli.js list --overdue
`,
    ],
  ],
};

/** `test/due-dates.test.js` of the app. */
export const DUE_DATES_TEST_SOURCE = `import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { afterEach, test } from "node:test";
import { fileURLToPath } from "node:url";
import { openTodos } from "../src/todo.js";

const file = fileURLToPath(new URL("due-dates-test.json", import.meta.url));

afterEach(() => rmSync(file, { force: true }));

test("keeps a due date", () => {
  const todo = openTodos(file).add("Pay the rent", "2030-01-31");
  assert.deepEqual(todo, { id: 1, title: "Pay the rent", done: false, due: "2030-01-31" });
});

test("refuses a day that is not in the calendar", () => {
  assert.throws(() => openTodos(file).add("Pay the rent", "2030-02-31"), /Not a date/);
});

test("lists what is overdue and still open", () => {
  const todos = openTodos(file);
  const late = todos.add("Pay the rent", "2030-01-31");
  todos.add("Buy milk");
  todos.add("Call home", "2030-02-01");
  todos.complete(todos.add("Send the letter", "2030-01-01").id);
  assert.deepEqual(todos.overdue("2030-02-01"), [late]);
});
`;
