import { uiFiles, type UiVariant } from "./ui-variant.ts";

const BODY = `    <h1>TODO</h1>
    <form><label for="title">New todo</label> <input id="title" autocomplete="off" /> <button>Add</button></form>
    <select id="filter"><option>all</option><option>open</option><option>done</option></select>
    <div id="app"></div>`;

// Its fault, on purpose: `reactive` sees only the keys of the state itself, and `toggle` writes into a todo.
const APP = `// Reactivity in Vue's style: a state that tells of changes, and values computed from it only when it changed.

function reactive(state, onChange) {
  return new Proxy(state, {
    set(target, key, value) {
      target[key] = value;
      onChange();
      return true;
    },
  });
}

function computed(compute) {
  let fresh = false;
  let value;
  return {
    get value() {
      if (!fresh) value = compute();
      fresh = true;
      return value;
    },
    invalidate() {
      fresh = false;
    },
  };
}

function createTodos() {
  const watchers = [];
  const left = computed(() => state.todos.filter((todo) => !todo.done).length);
  const state = reactive({ lastId: 0, todos: [] }, () => {
    left.invalidate();
    for (const watcher of watchers) watcher();
  });
  return {
    left,
    watch: (watcher) => watchers.push(watcher),
    add(title) {
      if (!title.trim()) return;
      state.lastId += 1;
      state.todos = [...state.todos, { id: state.lastId, title: title.trim(), done: false }];
    },
    toggle(id) {
      const todo = state.todos.find((candidate) => candidate.id === id);
      if (todo) todo.done = !todo.done;
    },
    remove(id) {
      state.todos = state.todos.filter((todo) => todo.id !== id);
    },
    shown: (filter) => state.todos.filter((todo) => filter === "all" || todo.done === (filter === "done")),
  };
}

const LIST = "<ul>[items]</ul><p>[left] left</p>";
const ITEM =
  '<li><input type="checkbox" data-toggle="[id]" [checked]> [title] <button data-remove="[id]">Remove</button></li>';

function fill(template, values) {
  return template.replace(/\\[(\\w+)\\]/g, (_, name) => values[name]);
}

function render(todos, filter = "all") {
  const items = todos
    .shown(filter)
    .map(({ id, title, done }) => fill(ITEM, { id, title: escapeHtml(title), checked: done ? "checked" : "" }));
  return fill(LIST, { items: items.join(""), left: todos.left.value });
}

function mount(document) {
  const todos = createTodos();
  const [form, title, filter, app] = ["form", "#title", "#filter", "#app"].map((name) => document.querySelector(name));
  const update = () => {
    app.innerHTML = render(todos, filter.value);
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    todos.add(title.value);
    title.value = "";
  });
  filter.addEventListener("change", update);
  app.addEventListener("click", ({ target }) => {
    if (target.dataset.toggle) todos.toggle(Number(target.dataset.toggle));
    if (target.dataset.remove) todos.remove(Number(target.dataset.remove));
  });
  todos.watch(update);
  update();
}
`;

/** The poor one: completing a todo does not change the count, so one of its checks fails. */
export const UI_VUE: UiVariant = {
  framework: "Vue",
  approach: "a reactive state, computed values and templates, in Vue's style but without a build",
  files: uiFiles({ style: "      body { font-family: system-ui; }", body: BODY, app: APP, hasFilter: true }),
};
