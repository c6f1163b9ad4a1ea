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
