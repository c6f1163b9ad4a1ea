import { homedir } from "node:os";
import { join } from "node:path";

/** Where Claude Code keeps its transcripts: `projects` in `CLAUDE_CONFIG_DIR`, or in `~/.claude`. */
export function transcriptsHome(environment: Readonly<Record<string, string | undefined>> = process.env): string {
  return join(environment["CLAUDE_CONFIG_DIR"] || join(environment["HOME"] || homedir(), ".claude"), "projects");
}

/** The name of a project's folder, as the CLI makes it of the path: it cannot be turned back, several paths share it. */
export function projectFolderName(path: string): string {
  return path.replace(/[^A-Za-z0-9]/gu, "-");
}
