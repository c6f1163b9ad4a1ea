import { createHash } from "node:crypto";
import { realpath } from "node:fs/promises";
import { defined, parseJson } from "../../core/internal.ts";
import { basename } from "node:path";
import { inlineCommands, namedFiles } from "./named-files.ts";
import { CONFIG_FILE, ownHash, readOwnConfiguration } from "./own-configuration.ts";
import {
  configurationPlaces,
  createFileReader,
  readConfiguration,
  type ConfigurationFile,
} from "./read-configuration.ts";

/** What a folder would have the CLI load and run, as it is now. */
export interface FolderInspection {
  /** Its real path. */
  readonly directory: string;
  /** The files that were looked at: configuration, and what it names inside the folder. None where the folder configures nothing. */
  readonly files: readonly string[];
  /** The SHA-256 of each of them, by its path. */
  readonly digests: ReadonlyMap<string, string>;
  /** What they would run, set or allow. */
  readonly programs: readonly FolderProgram[];
  /** Changes with every byte of those files. */
  readonly hash: string;
  /** The same for the folder's own `skein.config.json` and its plugins alone; none without such a file. */
  readonly configHash?: string;
}

type Variables = Readonly<Record<string, string | undefined>>;

/** Looks at what a folder would execute once its settings are read; executes nothing itself. */
export async function inspectFolder(
  directory: string,
  { env = process.env }: { readonly env?: Variables } = {},
): Promise<FolderInspection> {
  const real = await realpath(directory);
  return await inspectPlaces(real, await configurationPlaces(real), env);
}

/** The same of what lies in the folder itself, and not around it. The way to it may be one that resolving would lead elsewhere. */
export async function inspectOwnFiles(
  directory: string,
  { env = process.env }: { readonly env?: Variables } = {},
): Promise<FolderInspection> {
  return await inspectPlaces(directory, [directory], env);
}

async function inspectPlaces(directory: string, places: readonly string[], env: Variables): Promise<FolderInspection> {
  const reader = createFileReader();
  const own = await readOwnConfiguration(directory, reader);
  const configHash = own && ownHash([...reader.files.values()]);
  const configuration = [...(await readConfiguration(places, reader, env)), ...(own ? [own] : [])];
  for (const file of configuration) for (const named of await namedFiles(file, directory)) await reader.read(named);
  const read = [...reader.files.values()].toSorted((left, right) => (left.path < right.path ? -1 : 1));
  const hash = createHash("sha256").update("skein-trust-1\0");
  for (const { path, sha256 } of read) hash.update(`${sha256} ${path}\0`);
  return {
    directory,
    files: read.map(({ path }) => path),
    digests: new Map(read.map(({ path, sha256 }) => [path, sha256])),
    programs: folderPrograms(configuration),
    hash: hash.digest("hex"),
    ...defined({ configHash }),
  };
}

/** Something that the CLI would run, set or allow because a folder says so. */
export interface FolderProgram {
  readonly file: string;
  /** What it is: `mcpServers shop`, `hooks PreToolUse`, `apiKeyHelper`, `env BASH_ENV`, `permissions allow`. */
  readonly what: string;
  /** The command, address, value or rule, as it is written. */
  readonly runs: string;
}

/** Settings that bring something in, or allow it, without being commands themselves. */
const BRINGING_IN =
  /^(?:env|enabledPlugins|extraKnownMarketplaces|permissions allow|permissions additionalDirectories)\b/u;

/** Settings that are commands, those too that a later CLI may add. */
const RUNNING = /(?:^|\s)(?:command|\w*(?:Helper|Refresh|Export|Command))$/u;

/** Tells what the configuration of a folder would run. What is not understood is told as such, never left out. */
function folderPrograms(files: readonly ConfigurationFile[]): readonly FolderProgram[] {
  return files.flatMap(({ path, text }) => {
    if (path.endsWith(".md")) return inMarkdown(path, text);
    if (!path.endsWith(".json")) return [];
    const value = parseJson(text);
    if (value === undefined) return [{ file: path, what: "not JSON", runs: text.slice(0, 200) }];
    if (basename(path) === CONFIG_FILE) return ownSettings(path, value);
    return path.endsWith(".mcp.json") ? toolServers(path, value) : settings(path, value);
  });
}

function toolServers(file: string, value: unknown): readonly FolderProgram[] {
  const servers = (value as { readonly mcpServers?: unknown } | null)?.mcpServers;
  if (typeof servers !== "object" || servers === null) return [];
  const named = Object.entries(servers);
  return named.map(([name, server]) => ({ file, what: `mcpServers ${name}`, runs: serverLine(server) }));
}

function serverLine(server: unknown): string {
  const { command, args, env, url, headersHelper } = (server ?? {}) as Readonly<Record<string, unknown>>;
  const words = [command, ...(Array.isArray(args) ? args : []), url].filter((word) => typeof word === "string");
  const set = Object.entries(env ?? {}).map(([name, value]) => `${name}=${String(value)}`);
  const helper = typeof headersHelper === "string" ? [`headersHelper: ${headersHelper}`] : [];
  return [...set, ...words, ...helper].join(" ") || JSON.stringify(server);
}

function settings(file: string, value: unknown): readonly FolderProgram[] {
  return leaves(value, []).flatMap(({ path, text }) => {
    const what = path.filter((key) => !/^\d+$/u.test(key)).join(" ");
    if (RUNNING.test(what)) return [{ file, what: what.replace(/ hooks command$/u, ""), runs: text }];
    return BRINGING_IN.test(what) ? [{ file, what, runs: text }] : [];
  });
}

/** Skein's own file: all that it says, as any of it may loosen something. */
function ownSettings(file: string, value: unknown): readonly FolderProgram[] {
  const said = leaves(value, []).filter(({ path }) => path[0] !== "$schema");
  return said.map(({ path, text }) => ({
    file,
    what: path.filter((key) => !/^\d+$/u.test(key)).join(" "),
    runs: text,
  }));
}

type Leaf = { readonly path: readonly string[]; readonly text: string };

function leaves(value: unknown, path: readonly string[]): readonly Leaf[] {
  if (typeof value !== "object" || value === null) return [{ path, text: String(value) }];
  return Object.entries(value).flatMap(([key, inner]) => leaves(inner, [...path, key]));
}

function inMarkdown(file: string, text: string): readonly FolderProgram[] {
  const head = /^---\n(.*?)\n---/su.exec(text)?.[1] ?? "";
  const hooks = [...head.matchAll(/^\s*(?:- )?command:\s*(.+)$/gmu)].map(([, command = ""]) => command);
  return [
    ...hooks.map((runs) => ({ file, what: "hook", runs })),
    ...inlineCommands(text).map((runs) => ({ file, what: "when it is used", runs })),
  ];
}
