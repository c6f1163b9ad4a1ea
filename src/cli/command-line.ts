// What runs a command is loaded as one file, by `main.ts`: help needs none of it.
export { loadCommand } from "./load-command.ts";
export { runCommandLine } from "./run-command-line.ts";
