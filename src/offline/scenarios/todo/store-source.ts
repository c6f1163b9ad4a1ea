/** `src/todo.js` of the app: the list and the file it is kept in. */
export const STORE_SOURCE = `import { existsSync, readFileSync, writeFileSync } from "node:fs";

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
