/** `test/todo.test.js` of the app. */
export const STORE_TEST_SOURCE = `import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { afterEach, test } from "node:test";
import { fileURLToPath } from "node:url";
import { openTodos } from "../src/todo.js";

const file = fileURLToPath(new URL("todo-test.json", import.meta.url));

afterEach(() => rmSync(file, { force: true }));

test("starts empty", () => {
  assert.deepEqual(openTodos(file).list(), []);
});

test("adds todos with rising ids", () => {
  const todos = openTodos(file);
  todos.add("Buy milk");
  todos.add("  Call home ");
  assert.deepEqual(todos.list(), [
    { id: 1, title: "Buy milk", done: false },
    { id: 2, title: "Call home", done: false },
  ]);
});

test("refuses an empty title", () => {
  assert.throws(() => openTodos(file).add("  "), /needs a title/);
});

test("completes a todo", () => {
  const todos = openTodos(file);
  const { id } = todos.add("Buy milk");
  assert.equal(todos.complete(id).done, true);
});

test("removes a todo", () => {
  const todos = openTodos(file);
  const { id } = todos.add("Buy milk");
  todos.remove(id);
  assert.deepEqual(todos.list(), []);
});

test("names an id that does not exist", () => {
  assert.throws(() => openTodos(file).complete(7), /no todo 7/);
});

test("keeps the list in its file", () => {
  const { id } = openTodos(file).add("Buy milk");
  openTodos(file).complete(id);
  assert.deepEqual(openTodos(file).list(), [{ id, title: "Buy milk", done: true }]);
});
`;
