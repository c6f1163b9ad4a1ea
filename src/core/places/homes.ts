import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { checkTextPath } from "./paths.ts";

/** The folder where Skein keeps what it must remember: `SKEIN_HOME`, or the platform's folder for user data. */
export function dataHome(machine = { env: process.env, platform: process.platform, home: homedir() }): string {
  const own = machine.env["SKEIN_HOME"];
  return checkTextPath(own ? resolve(own) : join(userData(machine), "skein"));
}

function userData({ env, platform, home }: NonNullable<Parameters<typeof dataHome>[0]>): string {
  if (platform === "darwin") return join(home, "Library", "Application Support");
  if (platform === "win32") return env["LOCALAPPDATA"] || join(home, "AppData", "Local");
  return env["XDG_DATA_HOME"] || join(home, ".local", "share");
}

/** Claude Code's own folder: `CLAUDE_CONFIG_DIR`, or `~/.claude`. */
export function claudeHome(environment: Readonly<Record<string, string | undefined>> = process.env): string {
  return environment["CLAUDE_CONFIG_DIR"] || join(environment["HOME"] || homedir(), ".claude");
}

/** The name of a project's folder in `projects` there, as the CLI makes it of the path: it cannot be turned back, several paths share it. */
export function projectFolderName(path: string): string {
  return path.replace(/[^A-Za-z0-9]/gu, "-");
}
