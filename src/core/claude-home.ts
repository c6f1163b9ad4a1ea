import { homedir } from "node:os";
import { join } from "node:path";

/** Claude Code's own folder: `CLAUDE_CONFIG_DIR`, or `~/.claude`. */
export function claudeHome(environment: Readonly<Record<string, string | undefined>> = process.env): string {
  return environment["CLAUDE_CONFIG_DIR"] || join(environment["HOME"] || homedir(), ".claude");
}
