import type { TerminalCommand } from "./define-command.ts";
import { COMMAND_NAMES, loadCommand } from "./load-command.ts";

/** Every command there is, in the order in which the help lists them. */
export const COMMANDS: readonly TerminalCommand[] = await Promise.all(COMMAND_NAMES.map(loadCommand));
