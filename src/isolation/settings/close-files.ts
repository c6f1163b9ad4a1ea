import { dirname } from "node:path";
import { isInside } from "../../core/internal.ts";
import type { ClaudeOptions } from "../../engine/internal.ts";

/** Files and folders that an agent's tools must not write while the CLI runs what they say. */
export interface ClosedFiles {
  /** Where the agent works. */
  readonly cwd: string;
  readonly paths: readonly string[];
}

/** Keeps paths from being written: by file tools in every permission mode, and by sandboxed commands. */
export function closeFiles(options: ClaudeOptions, { cwd, paths }: ClosedFiles): ClaudeOptions {
  const { settings, sandbox } = options;
  const given = typeof settings === "object" ? settings : {};
  const deny = paths.flatMap((path) => [`Edit(/${path})`, `Edit(/${path}/**)`]);
  const closed = {
    ...options,
    settings: { ...given, permissions: { ...given.permissions, deny: [...(given.permissions?.deny ?? []), ...deny] } },
  };
  if (!sandbox?.enabled) return closed;
  const { filesystem = {} } = sandbox;
  return {
    ...closed,
    sandbox: {
      ...sandbox,
      filesystem: {
        ...filesystem,
        allowWrite: [...(filesystem.allowWrite ?? []), cwd, ...foldersBetween(cwd, paths)],
        denyWrite: [...(filesystem.denyWrite ?? []), ...paths],
      },
    },
  };
}

/** The folders around a closed file are mounted themselves: otherwise one could be renamed, and another put in its place. */
function foldersBetween(cwd: string, paths: readonly string[]): readonly string[] {
  const found = new Set<string>();
  for (const path of paths) {
    for (let folder = dirname(path); folder !== cwd && isInside(folder, cwd); folder = dirname(folder))
      found.add(folder);
  }
  return [...found].toSorted((left, right) => left.length - right.length);
}
