import { createHash } from "node:crypto";
import { realpath } from "node:fs/promises";
import { join } from "node:path";
import { parseJson } from "../../core/internal.ts";
import { findPluginFiles } from "./plugin-files.ts";
import { createFileReader, type ConfigurationFile } from "./read-configuration.ts";

/** The name of Skein's own configuration file, in a folder and in the data folder alike. */
export const CONFIG_FILE = "skein.config.json";

/** What a folder's own configuration file, and the plugins it names, are made of, as they are now. */
export interface OwnConfiguration {
  /** The folder's real path. */
  readonly directory: string;
  readonly files: readonly string[];
  /** Changes with every byte of those files. */
  readonly hash: string;
  /** The hash of the configuration file alone, to tell whether it is the one that was read. */
  readonly fileHash: string;
}

/** Looks at a folder's `skein.config.json` and its plugins; none where there is no such file. Loads nothing. */
export async function inspectOwnConfiguration(directory: string): Promise<OwnConfiguration | undefined> {
  const real = await realpath(directory);
  const reader = createFileReader();
  const file = await readOwnConfiguration(real, reader);
  if (!file) return undefined;
  const read = [...reader.files.values()];
  return { directory: real, files: read.map(({ path }) => path), hash: ownHash(read), fileHash: file.sha256 };
}

type FileReader = ReturnType<typeof createFileReader>;

/** Reads the file, and every file of its plugins after it. */
export async function readOwnConfiguration(
  directory: string,
  reader: FileReader,
): Promise<ConfigurationFile | undefined> {
  const file = await reader.read(join(directory, CONFIG_FILE));
  if (!file) return undefined;
  for (const module of pluginModules(file.text)) {
    for (const path of (await findPluginFiles(directory, module))?.files ?? []) await reader.read(path);
  }
  return { ...file, place: directory };
}

export function ownHash(read: readonly { readonly path: string; readonly sha256: string }[]): string {
  const hash = createHash("sha256").update("skein-config-1\0");
  const sorted = read.toSorted((left, right) => (left.path < right.path ? -1 : 1));
  for (const { path, sha256 } of sorted) hash.update(`${sha256} ${path}\0`);
  return hash.digest("hex");
}

/** The modules that a configuration names, as far as it can be understood. */
function pluginModules(text: string): readonly string[] {
  const value = parseJson(text.replace(/^\ufeff/u, "")) as { readonly plugins?: unknown } | null | undefined;
  const plugins = Array.isArray(value?.plugins) ? (value.plugins as readonly unknown[]) : [];
  return plugins.flatMap((plugin) => {
    const module = typeof plugin === "string" ? plugin : (plugin as { readonly module?: unknown } | null)?.module;
    return typeof module === "string" ? [module] : [];
  });
}
