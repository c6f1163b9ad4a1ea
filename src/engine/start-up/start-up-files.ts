import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { claudeHome } from "../../core/internal.ts";
import type { SessionOptions } from "../options/tool-server.ts";

/**
 * What decides how a CLI runs and is read once, when it starts, as it lies on the disk now: a process that was started before it was
 * changed is not the one that would be started today.
 */
export async function stampStartUpFiles(options: SessionOptions): Promise<readonly string[]> {
  const { settings, settingSources = [], plugins = [], pathToClaudeCodeExecutable: program, env } = options;
  const files = [
    ...(program === undefined ? [] : [program]),
    ...(typeof settings === "string" ? [settings] : []),
    ...(settingSources.includes("user") ? [join(claudeHome(env), "settings.json")] : []),
    ...managedSettings(),
  ];
  const stamps = await Promise.all([...files.map(stampFile), ...plugins.map(({ path }) => stampFolder(path))]);
  return stamps.flat();
}

/** Where an administrator puts settings that hold for everybody. */
function managedSettings(): readonly string[] {
  const folder = process.platform === "darwin" ? "/Library/Application Support/ClaudeCode" : "/etc/claude-code";
  return [join(folder, "managed-settings.json"), join(folder, "managed-settings.d")];
}

async function stampFile(path: string): Promise<string> {
  const found = await stat(path, { bigint: true }).catch(() => undefined);
  return found ? [path, found.ino, found.size, found.mtimeNs, found.ctimeNs].join(" ") : path;
}

async function stampFolder(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder, { recursive: true }).catch((): string[] => []);
  return await Promise.all(
    names.toSorted((left, right) => (left < right ? -1 : 1)).map((name) => stampFile(join(folder, name))),
  );
}
