import type { CallContext } from "../protocol/index.ts";
import type { Terminal } from "./terminal.ts";

/** What a command is given beside its arguments. */
export interface CommandContext extends CallContext {
  readonly terminal: Terminal;
}
