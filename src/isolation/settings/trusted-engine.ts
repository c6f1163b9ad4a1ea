import { createHash } from "node:crypto";
import { join, relative } from "node:path";
import { findShown, isInside, privateView, SkeinError } from "../../core/internal.ts";
import {
  createEngine,
  engineSettingsKey,
  inspectFolder,
  inspectOwnFiles,
  type Engine,
  type EnvVariables,
  type FolderInspection,
} from "../../engine/internal.ts";
import { closeFiles } from "./close-files.ts";

/** Settings of folders that a person trusts, as they were when they were trusted. */
export interface TrustedFolders {
  readonly sources: readonly ("user" | "project" | "local")[];
  /** The workspace, and what it would execute. None where only the user's own settings are loaded. */
  readonly workspace?: FolderInspection;
  /** Further directories of the agent. */
  readonly others: readonly FolderInspection[];
  /** The user's own configuration, where it is loaded. */
  readonly userFolder?: string;
}

/**
 * An engine whose turns load settings that a person trusts. They are looked at again right before each turn and once the CLI has read
 * them, in a branch too, and its tools cannot write them: what they name runs outside of the sandbox.
 */
export function trustedEngine(
  engine: Engine,
  trusted: TrustedFolders,
  { hostEnv: env }: { readonly hostEnv: EnvVariables },
): Engine {
  const stream: Engine["stream"] = async function* (prompt, options = {}) {
    const cwd = options.cwd ?? ".";
    await verify(trusted, { cwd, env });
    const paths = closedPaths(trusted, cwd);
    const wanted = { ...closeFiles(options, { cwd, paths }), settingSources: [...trusted.sources] };
    const turn = engine.stream(prompt, wanted);
    try {
      for (;;) {
        const { done, value } = await turn.next();
        if (done) return value;
        // The CLI has loaded them by now.
        if (value.type === "turn-start") await verify(trusted, { cwd, env });
        yield value;
      }
    } finally {
      await turn.return(undefined as never);
    }
  };
  return {
    ...createEngine(stream),
    settingsKey: (options) =>
      createHash("sha256")
        .update(JSON.stringify([engineSettingsKey(engine, options), trusted.sources, trusted.workspace?.hash]))
        .digest("hex"),
  };
}

/** What the CLI may load or run, there or not: what is not there yet is not to be made either. */
function closedPaths({ workspace, others, userFolder }: TrustedFolders, cwd: string): readonly string[] {
  const user = userFolder === undefined ? [] : [userFolder];
  if (!workspace) return user;
  const folders = [cwd, ...others.map(({ directory }) => directory)];
  const own = workspace.files.map((path) =>
    isInside(path, workspace.directory) ? join(cwd, relative(workspace.directory, path)) : path,
  );
  const standing = folders.flatMap((folder) => [join(folder, ".claude"), join(folder, ".mcp.json")]);
  const named = [...own, ...others.flatMap(({ files }) => files)];
  // What lies in a closed folder needs no word of its own.
  return [...user, ...standing, ...named.filter((path) => !standing.some((closed) => isInside(path, closed)))];
}

interface Checked {
  readonly cwd: string;
  readonly env: EnvVariables;
}

/** Fails unless everything is as it was trusted: in the workspace, or in the branch of it that the agent works in. */
async function verify({ workspace, others }: TrustedFolders, { cwd, env }: Checked): Promise<void> {
  for (const other of others) requireSame(other, await inspectFolder(other.directory, { env }));
  if (!workspace) return;
  if (cwd === workspace.directory) return requireSame(workspace, await inspectFolder(cwd, { env }));
  const own = await inspectOwnFiles(privateView(cwd) ?? cwd, { env });
  const now = new Map([...own.digests].map(([path, digest]) => [relative(own.directory, path), digest]));
  for (const [path, digest] of workspace.digests) {
    if (!isInside(path, workspace.directory)) continue;
    const name = relative(workspace.directory, path);
    if (now.get(name) !== digest) throw changed(workspace, name, now.has(name) ? "is another" : "is missing");
    now.delete(name);
  }
  for (const name of now.keys()) throw changed(workspace, name, "is new");
  // Around it the CLI finds what lies around the path by which the agent sees it.
  const seen = await inspectFolder(findShown(cwd) ? workspace.directory : cwd, { env });
  for (const [path, digest] of seen.digests) {
    if (isInside(path, seen.directory) || workspace.digests.get(path) === digest) continue;
    throw changed(workspace, path, "is not the one you trusted");
  }
}

function requireSame(trusted: FolderInspection, now: FolderInspection): void {
  if (now.hash === trusted.hash) return;
  const name = [...now.files, ...trusted.files].find((path) => now.digests.get(path) !== trusted.digests.get(path));
  throw changed(trusted, relative(trusted.directory, name ?? ""), "changed meanwhile");
}

function changed({ directory }: FolderInspection, name: string, what: string): SkeinError {
  return new SkeinError(`The settings are not those that you trusted in ${directory}: ${name} ${what}`, {
    kind: "untrusted_folder",
    target: directory,
    hint: "Look at the folder with skein trust --show; `carry` brings a file along that states leave out",
  });
}
