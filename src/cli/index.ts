// What the package's own scripts, benches and tests use of the command, from the bundle in which it is published.
export { COMMAND_NAMES, loadCommand } from "./load-command.ts";
export { parserWords } from "./parser-words.ts";
export { asksForHelp, showHelp } from "./program.ts";
export { runCommandLine } from "./run-command-line.ts";
export { describeWords } from "./shell/describe-words.ts";
export { manualPage } from "./shell/manual-page.ts";
export {
  describeCommand,
  describeTurnEvents,
  ErrorData,
  ErrorDetails,
  listCommand,
  listFields,
} from "../protocol/index.ts";
export { describeTerminal, formatTable } from "../terminal/index.ts";
