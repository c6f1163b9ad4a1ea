import { join } from "node:path";
import { claudeHome } from "../../core/index.ts";

/** Where Claude Code keeps its transcripts: `projects` in `CLAUDE_CONFIG_DIR`, or in `~/.claude`. */
export function transcriptsHome(environment: Readonly<Record<string, string | undefined>> = process.env): string {
  return join(claudeHome(environment), "projects");
}

/** The name of a project's folder, as the CLI makes it of the path: it cannot be turned back, several paths share it. */
export function projectFolderName(path: string): string {
  return path.replace(/[^A-Za-z0-9]/gu, "-");
}
