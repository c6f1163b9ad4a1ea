/** A piece of a file of the app, and what takes its place. */
export interface SourceEdit {
  readonly path: string;
  readonly from: string;
  readonly to: string;
}

/** What due dates change in the app. */
export const DUE_DATE_EDITS: readonly SourceEdit[] = [
  {
    path: "src/todo.js",
    from: `    add(title) {
      if (!title.trim()) throw new Error("A todo needs a title");`,
    to: `    add(title, due) {
      if (!title.trim()) throw new Error("A todo needs a title");
      if (due !== undefined && !isDate(due)) throw new Error("Not a date like 2030-01-31: " + due);`,
  },
  {
    path: "src/todo.js",
    from: `title: title.trim(), done: false };`,
    to: `title: title.trim(), done: false, ...(due && { due }) };`,
  },
  {
    path: "src/todo.js",
    from: `    list() {
      return [...todos];
    },
`,
    to: `    list() {
      return [...todos];
    },

    /** What was due before the given day and is still open. */
    overdue(today = new Date().toISOString().slice(0, 10)) {
      return todos.filter((todo) => !todo.done && todo.due < today);
    },
`,
  },
  {
    path: "src/todo.js",
    from: `/** Opens the todos`,
    to: `/** Whether a text is a day of the calendar, written as 2030-01-31. */
function isDate(text) {
  const date = new Date(text + "T00:00:00Z");
  return !Number.isNaN(date.getTime()) && date.toISOString().slice(0, 10) === text;
}

/** Opens the todos`,
  },
  {
    path: "src/cli.js",
    from: `import { openTodos } from "./todo.js";

const USAGE = "Usage: node src/cli.js add <title> | list | done <id> | remove <id>";`,
    to: `import { parseArgs } from "node:util";
import { openTodos } from "./todo.js";

const USAGE = "Usage: node src/cli.js add <title> [--due YYYY-MM-DD] | list [--overdue] | done <id> | remove <id>";
const OPTIONS = { due: { type: "string" }, overdue: { type: "boolean" } };`,
  },
  {
    path: "src/cli.js",
    from: `function run([command, ...args]) {
  switch`,
    to: `function run(argv) {
  const { positionals, values } = parseArgs({ args: argv, options: OPTIONS, allowPositionals: true });
  const [command, ...args] = positionals;
  switch`,
  },
  {
    path: "src/cli.js",
    from: `todos.add(args.join(" "))`,
    to: `todos.add(args.join(" "), values.due)`,
  },
  {
    path: "src/cli.js",
    from: `return todos.list().map(show)`,
    to: `return (values.overdue ? todos.overdue() : todos.list()).map(show)`,
  },
  {
    path: "src/cli.js",
    from: `"] " + todo.title;`,
    to: `"] " + todo.title + (todo.due ? " (due " + todo.due + ")" : "");`,
  },
  {
    path: "README.md",
    from: `    node src/cli.js list
`,
    to: `    node src/cli.js add "Pay the rent" --due 2030-01-31
    node src/cli.js list
    node src/cli.js list --overdue
`,
  },
];

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
