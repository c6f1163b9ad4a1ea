import { uiFiles, type UiVariant } from "./ui-variant.ts";

const STYLE = `      body { font-family: system-ui; }
      .app { width: 30rem; margin: 2rem auto; }
      .done { text-decoration: line-through; }`;

const APP = `// Elements: a tree of plain objects, as React has them, and its text.

function createElement(type, props, ...children) {
  return { type, props: { ...props, children: children.flat() } };
}

function renderToString(node) {
  if (node === null || node === undefined || node === false) return "";
  if (typeof node !== "object") return escapeHtml(String(node));
  if (typeof node.type === "function") return renderToString(node.type(node.props));
  const { children, ...attributes } = node.props;
  const open = "<" + node.type + Object.entries(attributes).map(renderAttribute).join("") + ">";
  if (node.type === "input") return open;
  return open + children.map(renderToString).join("") + "</" + node.type + ">";
}

function renderAttribute([name, value]) {
  if (value === false || value === undefined) return "";
  const attribute = { className: "class", htmlFor: "for" }[name] ?? name;
  return value === true ? " " + attribute : " " + attribute + '="' + escapeHtml(String(value)) + '"';
}

// State: a reducer, and a store that tells its subscribers.

function reducer(state, action) {
  switch (action.type) {
    case "added": {
      const title = action.title.trim();
      if (!title) return state;
      const todo = { id: state.lastId + 1, title, done: false };
      return { ...state, lastId: todo.id, todos: [...state.todos, todo] };
    }
    case "toggled": {
      const toggle = (todo) => (todo.id === action.id ? { ...todo, done: !todo.done } : todo);
      return { ...state, todos: state.todos.map(toggle) };
    }
    case "removed":
      return { ...state, todos: state.todos.filter((todo) => todo.id !== action.id) };
    default:
      throw new Error("Unknown action: " + action.type);
  }
}

function createTodos() {
  let state = { lastId: 0, todos: [] };
  const subscribers = new Set();
  const dispatch = (action) => {
    state = reducer(state, action);
    for (const subscriber of subscribers) subscriber();
  };
  return {
    getState: () => state,
    subscribe: (subscriber) => subscribers.add(subscriber),
    add: (title) => dispatch({ type: "added", title }),
    toggle: (id) => dispatch({ type: "toggled", id }),
    remove: (id) => dispatch({ type: "removed", id }),
  };
}

// Components.

function App({ todos }) {
  const parts = [createElement(TodoForm), createElement(TodoList, { todos }), createElement(Counter, { todos })];
  return createElement("div", { className: "app" }, createElement("h1", null, "TODO"), ...parts);
}

function TodoForm() {
  const label = createElement("label", { htmlFor: "title" }, "New todo ");
  const input = createElement("input", { id: "title", autocomplete: "off" });
  return createElement("form", null, label, input, createElement("button", null, "Add"));
}

function TodoList({ todos }) {
  return createElement("ul", null, ...todos.map((todo) => createElement(TodoItem, { todo })));
}

function TodoItem({ todo }) {
  const box = createElement("input", { type: "checkbox", "data-toggle": todo.id, checked: todo.done });
  const title = createElement("span", { className: todo.done ? "done" : undefined }, todo.title);
  return createElement("li", null, box, title, createElement("button", { "data-remove": todo.id }, "x"));
}

function Counter({ todos }) {
  return createElement("p", null, todos.filter((todo) => !todo.done).length, " left");
}

function render(todos) {
  return renderToString(createElement(App, { todos: todos.getState().todos }));
}

// The page.

function mount(document) {
  const root = document.getElementById("root");
  const todos = createTodos();
  const update = () => {
    root.innerHTML = render(todos);
    root.querySelector("#title").focus();
  };
  root.addEventListener("submit", (event) => {
    event.preventDefault();
    todos.add(root.querySelector("#title").value);
  });
  root.addEventListener("click", ({ target }) => {
    if (target.dataset.toggle) todos.toggle(Number(target.dataset.toggle));
    if (target.dataset.remove) todos.remove(Number(target.dataset.remove));
  });
  todos.subscribe(update);
  update();
}
`;

/** The middling one: it works, but it is long and cannot filter. */
export const UI_REACT: UiVariant = {
  framework: "React",
  approach: "elements, a reducer and components, in React's style but without a build",
  files: uiFiles({ style: STYLE, body: `    <div id="root"></div>`, app: APP, hasFilter: false }),
};
