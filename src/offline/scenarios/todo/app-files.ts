const PACKAGE_JSON = `{
  "name": "todo",
  "version": "1.0.0",
  "private": true,
  "type": "module",
  "scripts": {
    "start": "node src/cli.js",
    "test": "node --test"
  },
  "engines": {
    "node": ">=20"
  }
}
`;

const README = `# TODO

A TODO list for the command line. Needs Node 20 and nothing else.

    node src/cli.js add "Buy milk"
    node src/cli.js list
    node src/cli.js done 1
    node src/cli.js remove 1

The list is kept in \`todos.json\`, or in the file that \`TODO_FILE\` names.
`;

const STORE_SOURCE = `import { existsSync, readFileSync, writeFileSync } from "node:fs";

/** Opens the todos kept in a JSON file; the file is made when the first one is added. */
export function openTodos(file) {
  const todos = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : [];
  const save = () => writeFileSync(file, JSON.stringify(todos, null, 2) + "\\n");

  function find(id) {
    const todo = todos.find((candidate) => candidate.id === id);
    if (!todo) throw new Error("There is no todo " + id);
    return todo;
  }

  return {
    add(title) {
      if (!title.trim()) throw new Error("A todo needs a title");
      const id = Math.max(0, ...todos.map((todo) => todo.id)) + 1;
      const todo = { id, title: title.trim(), done: false };
      todos.push(todo);
      save();
      return todo;
    },

    list() {
      return [...todos];
    },

    complete(id) {
      const todo = find(id);
      todo.done = true;
      save();
      return todo;
    },

    remove(id) {
      const todo = find(id);
      todos.splice(todos.indexOf(todo), 1);
      save();
      return todo;
    },
  };
}
`;

const CLI_SOURCE = `import { openTodos } from "./todo.js";

const USAGE = "Usage: node src/cli.js add <title> | list | done <id> | remove <id>";
const todos = openTodos(process.env.TODO_FILE ?? "todos.json");

try {
  console.log(run(process.argv.slice(2)));
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}

function run([command, ...args]) {
  switch (command) {
    case "add":
      return "Added " + show(todos.add(args.join(" ")));
    case "list":
      return todos.list().map(show).join("\\n") || "Nothing to do.";
    case "done":
      return "Completed " + show(todos.complete(Number(args[0])));
    case "remove":
      return "Removed " + show(todos.remove(Number(args[0])));
    default:
      throw new Error(USAGE);
  }
}

function show(todo) {
  return todo.id + ". [" + (todo.done ? "x" : " ") + "] " + todo.title;
}
`;

export const APP_FILES: Readonly<Record<string, string>> = {
  "package.json": PACKAGE_JSON,
  "src/todo.js": STORE_SOURCE,
  "src/cli.js": CLI_SOURCE,
  "README.md": README,
};

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
