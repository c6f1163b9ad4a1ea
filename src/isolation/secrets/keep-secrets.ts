import { lstat } from "node:fs/promises";
import { homedir } from "node:os";
import { resolve } from "node:path";
import { API_CREDENTIALS, defined, secretPlaces, secretVariables } from "../../core/internal.ts";
import { type ClaudeOptions, buildEnv, type EnvVariables } from "../../engine/internal.ts";
import { allBut } from "./closed-store.ts";

/** What is kept from tools, and what is not. */
export interface KeepSecretsOptions {
  /** The host's variables; this process's by default. */
  readonly hostEnv?: EnvVariables;
  /** Paths that tools may not read or write beside the well-known secret places. */
  readonly closed?: readonly string[];
  /** What tools may see all the same: variables by name, places by path (`~/.aws`, or anything with a slash). */
  readonly reveal?: readonly string[];
}

/** Made by the CLI itself for its tools; whoever has it speaks to the session in the agent's name. */
const OF_THE_SESSION = "CLAUDE_CODE_MESSAGING_TOKEN";

/**
 * Keeps credentials from the tools of a turn: variables with secrets are not shown to sandboxed commands, and well-known secret places
 * can be read neither by them nor by file tools. The CLI itself still sees both. Where the options have no sandbox, only the file tools
 * are held, and commands that plainly name such a place.
 */
export async function keepSecrets(options: ClaudeOptions, keep: KeepSecretsOptions = {}): Promise<ClaudeOptions> {
  const { hostEnv = process.env, closed = [], reveal = [] } = keep;
  const seen = buildEnv(hostEnv, options.env);
  const home = seen["HOME"] ?? homedir();
  const shown = new Set(reveal.filter((what) => !isPath(what)));
  const open = reveal.filter(isPath).map((path) => resolve(path.replace(/^~(?=\/|$)/u, home)));
  const places = [...new Set([...secretPlaces({ env: seen }), ...closed])];
  const paths = (await Promise.all(places.map((place) => allBut(place, open)))).flat();
  const hidden = new Set([...API_CREDENTIALS, OF_THE_SESSION, ...secretVariables(seen)]);
  const names = [...hidden].filter((name) => !shown.has(name));
  return {
    ...options,
    env: { ...defined(Object.fromEntries([...shown].map((name) => [name, hostEnv[name]]))), ...options.env },
    settings: withDenials(options.settings, fileToolDenials(paths)),
    ...(options.sandbox?.enabled ? { sandbox: withSecrets(options.sandbox, await existing(paths), names) } : {}),
  };
}

/** Rules that keep the CLI's file tools from paths and from all below them, in every permission mode, by links neither. */
export function fileToolDenials(paths: readonly string[]): string[] {
  // One slash more says that the path begins at the root.
  return paths.flatMap((path) => [`Read(/${path})`, `Read(/${path}/**)`, `Edit(/${path})`, `Edit(/${path}/**)`]);
}

export function variableDenials(names: readonly string[]): Pick<Sandbox, "credentials"> {
  if (names.length === 0) return {};
  return { credentials: { envVars: names.map((name) => ({ name, mode: "deny" as const })) } };
}

function isPath(what: string): boolean {
  return what.includes("/") || what.startsWith("~");
}

/** The sandbox cannot cover what is not there. */
async function existing(paths: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(paths.map((path) => lstat(path).catch(() => undefined)));
  return paths.filter((_, index) => found[index]);
}

type Sandbox = NonNullable<ClaudeOptions["sandbox"]>;

function withSecrets(sandbox: Sandbox, paths: readonly string[], names: readonly string[]): Sandbox {
  const { filesystem = {} } = sandbox;
  return {
    ...sandbox,
    filesystem: { ...filesystem, denyRead: [...(filesystem.denyRead ?? []), ...paths] },
    ...variableDenials(names),
  };
}

function withDenials(settings: ClaudeOptions["settings"], deny: readonly string[]) {
  const given = typeof settings === "object" ? settings : {};
  return { ...given, permissions: { ...given.permissions, deny: [...(given.permissions?.deny ?? []), ...deny] } };
}
