import { uiFiles, type UiVariant } from "./ui-variant.ts";

const STYLE = `      body { font: 1rem system-ui; max-width: 30rem; margin: 2rem auto; padding: 0 1rem; }
      ul { list-style: none; padding: 0; }
      li { display: flex; gap: 0.5rem; margin: 0.5rem 0; }
      li label { flex: 1; }
      :checked + label { text-decoration: line-through; }`;

const BODY = `    <main>
      <h1>TODO</h1>
      <form>
        <label for="title">New todo</label>
        <input id="title" autocomplete="off" required />
        <button>Add</button>
      </form>
      <label for="filter">Show</label>
      <select id="filter"><option>all</option><option>open</option><option>done</option></select>
      <div id="list"></div>
    </main>`;

const APP = `function createTodos() {
  let todos = [];
  let lastId = 0;
  return {
    add(title) {
      if (title.trim()) todos = [...todos, { id: ++lastId, title: title.trim(), done: false }];
    },
    toggle(id) {
      todos = todos.map((todo) => (todo.id === id ? { ...todo, done: !todo.done } : todo));
    },
    remove(id) {
      todos = todos.filter((todo) => todo.id !== id);
    },
    left: () => todos.filter((todo) => !todo.done).length,
    shown: (filter) => todos.filter((todo) => filter === "all" || todo.done === (filter === "done")),
  };
}

function render(todos, filter = "all") {
  const items = todos.shown(filter).map(renderItem).join("");
  return "<ul>" + items + '</ul><p role="status">' + todos.left() + " left</p>";
}

function renderItem({ id, title, done }) {
  const box = '<input type="checkbox" id="todo-' + id + '" data-toggle="' + id + '"' + (done ? " checked" : "") + " />";
  const label = '<label for="todo-' + id + '">' + escapeHtml(title) + "</label>";
  return "<li>" + box + label + '<button data-remove="' + id + '" aria-label="Remove ' + escapeHtml(title) + '">×</button></li>';
}

function mount(document) {
  const todos = createTodos();
  const [form, title, filter, list] = ["form", "#title", "#filter", "#list"].map((name) => document.querySelector(name));
  const update = () => {
    const focused = document.activeElement?.id;
    list.innerHTML = render(todos, filter.value);
    if (focused) document.getElementById(focused)?.focus();
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    todos.add(title.value);
    title.value = "";
    update();
  });
  filter.addEventListener("change", update);
  list.addEventListener("change", ({ target }) => {
    todos.toggle(Number(target.dataset.toggle));
    update();
  });
  list.addEventListener("click", ({ target }) => {
    if (!target.dataset.remove) return;
    todos.remove(Number(target.dataset.remove));
    update();
    title.focus();
  });
  update();
}
`;

/** The good one: complete, accessible, small. */
export const UI_VANILLA: UiVariant = {
  framework: "vanilla JavaScript",
  approach: "one page, one script, the browser's own events",
  files: uiFiles({ style: STYLE, body: BODY, app: APP, hasFilter: true }),
};
