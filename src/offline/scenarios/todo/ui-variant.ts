/** One way to build the UI of the app. */
export interface UiVariant {
  /** In whose style it is written; nothing is loaded from anywhere. */
  readonly framework: string;
  readonly approach: string;
  readonly files: Readonly<Record<string, string>>;
}

/** The files of a variant: the same checks for every one, so that their results compare. */
export function uiFiles(parts: {
  readonly style: string;
  readonly body: string;
  readonly app: string;
  readonly hasFilter: boolean;
}): UiVariant["files"] {
  return {
    "ui/index.html": pageOf(parts.style, parts.body),
    "ui/app.js": parts.app + END_OF_APP,
    "test/ui.test.js": UI_TEST + (parts.hasFilter ? FILTER_TEST : FILTER_TODO),
  };
}

function pageOf(style: string, body: string): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width" />
    <title>TODO</title>
    <link rel="icon" href="data:," />
    <style>
${style}
    </style>
  </head>
  <body>
${body}
    <script src="app.js"></script>
  </body>
</html>
`;
}

// The page's script is a classic one, since a browser does not load a module from a file; hence the global.
const END_OF_APP = `
function escapeHtml(text) {
  return text.replace(/[&<>"]/g, (sign) => "&#" + sign.charCodeAt(0) + ";");
}

globalThis.todoUi = { createTodos, render };
if (globalThis.document) mount(globalThis.document);
`;

const UI_TEST = `import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import "../ui/app.js";

const { createTodos, render } = globalThis.todoUi;
const page = readFileSync(new URL("../ui/index.html", import.meta.url), "utf8");

function todosWith(...titles) {
  const todos = createTodos();
  for (const title of titles) todos.add(title);
  return todos;
}

test("shows what was added", () => {
  assert.match(render(todosWith("Buy milk")), /Buy milk/);
});

test("ignores an empty title", () => {
  assert.doesNotMatch(render(todosWith("  ")), /<li/);
});

test("counts what is left after a todo is completed", () => {
  const todos = todosWith("Buy milk", "Call home");
  assert.match(render(todos), /2 left/);
  todos.toggle(1);
  assert.match(render(todos), /1 left/);
});

test("removes a todo", () => {
  const todos = todosWith("Buy milk", "Call home");
  todos.remove(1);
  assert.doesNotMatch(render(todos), /Buy milk/);
});

test("escapes what a user types", () => {
  assert.doesNotMatch(render(todosWith("<script>alert(1)</script>")), /<script/);
});

test("labels the field for a new todo", () => {
  assert.match(page + render(createTodos()), /<label for="title"/);
});

test("loads nothing from the network", () => {
  assert.doesNotMatch(page, /https?:/);
});
`;

const FILTER_TEST = `
test("shows only what is open when asked", () => {
  const todos = todosWith("Buy milk", "Call home");
  todos.toggle(1);
  const shown = render(todos, "open");
  assert.doesNotMatch(shown, /Buy milk/);
  assert.match(shown, /Call home/);
});
`;

const FILTER_TODO = `
test.todo("shows only what is open when asked");
`;
