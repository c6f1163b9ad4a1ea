import { homedir } from "node:os";
import type { TurnStartEvent } from "../../core/index.ts";
import { plainLine } from "../plain-text.ts";
import type { Terminal } from "../terminal.ts";

/** The line above a turn: which model works where, and what it may do. */
export function turnHeading(start: TurnStartEvent, { colors }: Terminal): string {
  const place = start.cwd.startsWith(`${homedir()}/`) ? `~${start.cwd.slice(homedir().length)}` : start.cwd;
  return `${colors.dim(`${plainLine(start.model)} · ${plainLine(place)} · ${start.permissionMode}`)}\n`;
}
