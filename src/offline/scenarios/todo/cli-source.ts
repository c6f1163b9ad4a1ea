/** `src/cli.js` of the app: its command line. */
export const CLI_SOURCE = `import { openTodos } from "./todo.js";

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
