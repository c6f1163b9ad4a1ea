import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { lstat, open, realpath } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isInside, messageOf, SkeinError } from "../core/internal.ts";
import { CONFIG_FILE } from "../engine/internal.ts";
import { ConfigFile } from "./config-file.ts";
import { type ConfigMistake, keyText, schemaMistakes } from "./file-mistake.ts";
import { locateJson, type JsonPath, type TextPosition } from "./locate-json.ts";

/** A configuration file that was read: what it says and where, and all that is wrong with it. */
export interface ReadConfigFile {
  readonly path: string;
  /** Of its bytes, to tell whether it is the one that was trusted. */
  readonly sha256: string;
  /** What it says; nothing of a file with a mistake is used. */
  readonly config: ConfigFile;
  readonly mistakes: readonly ConfigMistake[];
  /** Where something stands in it. */
  at(path: JsonPath): TextPosition;
}

/** More than this no configuration file has to say. */
const MOST_BYTES = 256 * 1024;

/** Reads a folder's configuration file, or the user's own, which may lead elsewhere and say more; none where there is no such file. A file that is wrong is given with its mistakes. */
export async function readConfigFile(
  folder: string,
  { isOwn = false }: { readonly isOwn?: boolean } = {},
): Promise<ReadConfigFile | undefined> {
  const path = join(folder, CONFIG_FILE);
  const found = await readBytes(path, isOwn);
  if (found === undefined) return undefined;
  if (typeof found === "string") return broken(path, { message: found });
  const sha256 = createHash("sha256").update(found).digest("hex");
  const text = found.toString("utf8");
  if (!Buffer.from(text).equals(found)) return broken(path, { message: "It is not text in UTF-8" });
  const json = locateJson(text);
  if (!json.isJson) {
    const { message, hint, position } = json;
    return { ...broken(path, { message, hint, ...position }), sha256 };
  }
  const mistakes = schemaMistakes(ConfigFile, json.value).map(({ path: place, isAboutKey, ...said }) => {
    const position = isAboutKey ? json.keyAt(place) : json.valueAt(place);
    return { path, ...position, key: keyText(place), ...said };
  });
  for (const key of ["alerts", "retention"] as const) {
    if (!isOwn && isObjectWith(json.value, key)) mistakes.push({ path, ...json.keyAt([key]), key, ...notHere(key) });
  }
  mistakes.sort((one, other) => one.line - other.line || one.column - other.column);
  const config = mistakes.length === 0 ? withParts(json.value as ConfigFile) : {};
  return { path, sha256, config, mistakes, at: (place) => json.keyAt(place) };
}

/** What the user alone may say, and why. */
const OWN_PARTS = {
  alerts: "A workspace does not say where your figures are sent",
  retention: "A workspace does not say how long what is of all of them is kept",
} as const;

function notHere(key: keyof typeof OWN_PARTS): { readonly message: string; readonly hint: string } {
  return {
    message: `"${key}" may stand in your own file alone`,
    hint: `${OWN_PARTS[key]}: move it to skein.config.json of your data folder`,
  };
}

function isObjectWith(value: unknown, key: string): boolean {
  return typeof value === "object" && value !== null && Object.hasOwn(value, key);
}

/** A mistake as one line: `path:line:column: what is wrong`; of a variable, whose name is in the words, without a place. */
export function mistakeLine({ path, line, column, message }: ConfigMistake): string {
  return line === undefined ? message : `${path}:${line}:${column}: ${message}`;
}

/** The error of a configuration that cannot hold: the first mistake in words, all of them in its details. */
export function configError(mistakes: readonly ConfigMistake[]): SkeinError {
  const [first, ...others] = mistakes;
  if (!first) throw new TypeError("There is no mistake");
  const more = others.length === 0 ? "" : ` (and ${others.length} more)`;
  const { path, line, column, key, hint } = first;
  return new SkeinError(`The configuration is wrong: ${mistakeLine(first)}${more}`, {
    kind: "config",
    target: path,
    hint: hint ?? "See skein config --check, and docs/guide/configuration.md",
    details: { line: line ?? null, column: column ?? null, key, mistakes },
  });
}

function broken(path: string, said: Omit<ConfigMistake, "path" | "key">): ReadConfigFile {
  const start = { line: 1, column: 1 };
  return { path, sha256: "", config: {}, mistakes: [{ path, key: "", ...start, ...said }], at: () => start };
}

/** A part that is named is on: `"retry": {}` is as good as with its first default. */
function withParts(config: ConfigFile): ConfigFile {
  const { retry, breaker } = config.resilience ?? {};
  const parts = {
    ...(retry ? { retry: { maxRetries: 3, ...retry } } : {}),
    ...(breaker ? { breaker: { maxFailures: 5, ...breaker } } : {}),
  };
  return config.resilience ? { ...config, resilience: { ...config.resilience, ...parts } } : config;
}

/** The bytes of the file, or why they cannot be had. In a workspace a link must not lead out of it: what lies there may be secret. */
async function readBytes(path: string, isOwn: boolean): Promise<Buffer | string | undefined> {
  const found = await lstat(path).catch(() => undefined);
  if (!found) return undefined;
  if (found.isSymbolicLink() && !isOwn) {
    const [real, folder] = await Promise.all([realpath(path).catch(() => ""), realpath(dirname(path))]);
    if (!isInside(real, folder)) return "It is a link that leads out of its folder";
  }
  try {
    // A pipe in the place of a file is not waited for.
    await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const now = await file.stat();
    if (!now.isFile()) return "It is not a file";
    if (now.size > MOST_BYTES) return `It has more than ${MOST_BYTES / 1024} KB`;
    return await file.readFile();
  } catch (error) {
    return `It cannot be read: ${messageOf(error)}`;
  }
}
