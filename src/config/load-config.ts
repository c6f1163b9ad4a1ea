import { realpath } from "node:fs/promises";
import { dirname, join } from "node:path";
import { dataHome, defined } from "../core/internal.ts";
import { CONFIG_FILE, inspectOwnConfiguration, openTrustStore } from "../engine/internal.ts";
import { changedConfig, missingConfig } from "./changed-config.ts";
import type { ConfigFile } from "./config-file.ts";
import type { ConfigMistake } from "./file-mistake.ts";
import { configError, readConfigFile, type ReadConfigFile } from "./read-config-file.ts";
import { readVariables } from "./read-variables.ts";
import { nestValues, SETTINGS, type Setting, valueAt, variableOf } from "./settings.ts";

/** Where a value comes from, the first one first. A flag is before all of them. */
export type ConfigSource = "environment" | "workspace" | "user" | "default";

/** A value that holds, and who says so. */
export interface ConfiguredValue {
  readonly key: string;
  readonly value: unknown;
  readonly source: ConfigSource;
  /** The variable, or the file with its line; none for a default. */
  readonly place?: string;
}

/** A value of a workspace's file that does not hold, because nobody trusts the folder. */
export interface HeldBackValue {
  readonly key: string;
  readonly value: unknown;
  readonly place: string;
}

/** A plugin that is to be loaded, and where its module is looked for. */
export interface ConfiguredPlugin {
  readonly module: string;
  readonly options: Readonly<Record<string, unknown>>;
  readonly folder: string;
  readonly place: string;
  /** The hash that its folder's configuration must still have; none for the user's own. */
  readonly trustedHash?: string;
}

/** One of the two files in which a configuration can stand. */
export interface ConfigFileFacts {
  readonly source: "workspace" | "user";
  readonly path: string;
  readonly isThere: boolean;
  /** Whether a workspace's file may loosen anything: as it is, not since it was `changed`, or `none` was ever trusted. */
  readonly trust: "trusted" | "changed" | "none" | "own";
}

/** What holds, from all that can configure. */
export interface Configuration {
  readonly files: readonly ConfigFileFacts[];
  /** Every key, in the order of the file. */
  readonly values: readonly ConfiguredValue[];
  readonly heldBack: readonly HeldBackValue[];
  readonly plugins: readonly ConfiguredPlugin[];
  /** All that is wrong; a configuration with a mistake is not to be used. */
  readonly mistakes: readonly ConfigMistake[];
}

/** Where a configuration is looked for. */
export interface LoadConfigOptions {
  /** The workspace: its own `skein.config.json` is read, none above it. Without it there is only the user's. */
  readonly workspace?: string;
  /** The user's data folder; `SKEIN_HOME`, or the platform's, by default. */
  readonly home?: string;
  /** The process's own variables by default. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/**
 * Reads a configuration and checks it. Fails with the kind `config` at a mistake, which tells all of them, and with `untrusted_folder`
 * where a workspace's file, or a plugin of it, has changed or is gone since a person trusted it.
 */
export async function loadConfig(options: LoadConfigOptions = {}): Promise<Configuration> {
  const configuration = await inspectConfig(options);
  if (configuration.mistakes.length > 0) throw configError(configuration.mistakes);
  const changed = configuration.files.find(({ trust }) => trust === "changed");
  if (changed) throw (changed.isThere ? changedConfig : missingConfig)(dirname(changed.path));
  return configuration;
}

/** The same, but mistakes are given with what holds without the files and variables that have them. */
export async function inspectConfig({
  workspace,
  home = dataHome(),
  env = process.env,
}: LoadConfigOptions = {}): Promise<Configuration> {
  const variables = readVariables(env);
  const user = await readConfigFile(home, { isOwn: true });
  const own = workspace === undefined || workspace === home ? undefined : await readConfigFile(workspace);
  const trusted = own && (await trustIn(own));
  const isGone = !own && workspace !== undefined && (await wasTrusted(workspace));
  const trust = isGone ? "changed" : (trusted?.trust ?? "none");
  const layers = [
    ...(user ? [fileLayer("user", user)] : []),
    ...(own
      ? [{ ...fileLayer("workspace", own), isHeld: trust !== "trusted", ...defined({ trustedHash: trusted?.hash }) }]
      : []),
    {
      source: "environment" as const,
      valueOf: ({ key, flag = "" }: Setting) => said(variables.values.get(key), variableOf(flag)),
    },
  ];
  return {
    ...settle(layers),
    files: [
      ...(workspace === undefined
        ? []
        : [{ source: "workspace" as const, path: join(workspace, CONFIG_FILE), isThere: own !== undefined, trust }]),
      { source: "user", path: join(home, CONFIG_FILE), isThere: user !== undefined, trust: "own" },
    ],
    mistakes: [...(own?.mistakes ?? []), ...(user?.mistakes ?? []), ...variables.mistakes],
  };
}

async function wasTrusted(workspace: string): Promise<boolean> {
  return await openTrustStore().hasTrustedConfig(await realpath(workspace).catch(() => workspace));
}

/** Whether the folder is trusted with this very file: it may have been changed since it was read. */
async function trustIn({
  path,
  sha256,
}: ReadConfigFile): Promise<{ readonly trust: "trusted" | "changed" | "none"; readonly hash: string } | undefined> {
  const inspected = await inspectOwnConfiguration(dirname(path));
  if (!inspected) return undefined;
  const trust = await openTrustStore().trustOf(inspected);
  return { trust: trust === "trusted" && inspected.fileHash !== sha256 ? "changed" : trust, hash: inspected.hash };
}

interface Said {
  readonly value: unknown;
  readonly place: string;
  readonly plugins?: readonly ConfiguredPlugin[];
}

interface Layer {
  readonly source: Exclude<ConfigSource, "default">;
  /** Whether only what tightens is taken from it. */
  readonly isHeld?: boolean;
  readonly trustedHash?: string;
  valueOf(setting: Setting): Said | undefined;
}

function said(value: unknown, place: string): Said | undefined {
  return value === undefined ? undefined : { value, place };
}

function fileLayer(source: "workspace" | "user", { path, config, at }: ReadConfigFile): Layer {
  const place = (parts: readonly (string | number)[]): string => `${path}:${at(parts).line}`;
  return {
    source,
    valueOf: ({ key }) => {
      const found = said(valueAt(config, key), place(key.split(".")));
      return found && key === "plugins" ? { ...found, plugins: pluginsOf(config, dirname(path), place) } : found;
    },
  };
}

function pluginsOf(
  { plugins = [] }: ConfigFile,
  folder: string,
  place: (path: readonly (string | number)[]) => string,
): readonly ConfiguredPlugin[] {
  return plugins.map((plugin, index) => {
    const { module, options = {} } = typeof plugin === "string" ? { module: plugin } : plugin;
    return { module, options, folder, place: place(["plugins", index]) };
  });
}

/** Puts the layers over one another, the last one on top. */
function settle(layers: readonly Layer[]): Pick<Configuration, "values" | "heldBack" | "plugins"> {
  const heldBack: HeldBackValue[] = [];
  const plugins: ConfiguredPlugin[] = [];
  const values = SETTINGS.map((setting) => {
    const { key, addsUp } = setting;
    let held: ConfiguredValue = { key, value: setting.byDefault, source: "default" };
    for (const layer of layers) {
      const found = layer.valueOf(setting);
      if (!found) continue;
      const { value, place } = found;
      if (layer.isHeld && !setting.tightens(value, held.value)) {
        heldBack.push({ key, value, place });
        continue;
      }
      for (const plugin of found.plugins ?? [])
        plugins.push({ ...plugin, ...defined({ trustedHash: layer.trustedHash }) });
      held = { key, value: addsUp ? bothLists(held.value, value) : value, source: layer.source, place };
    }
    return held;
  });
  return { values, heldBack, plugins };
}

function bothLists(under: unknown, over: unknown): readonly unknown[] {
  return [...new Set([...(under as readonly unknown[]), ...(over as readonly unknown[])])];
}

/** What was configured, as an object of the file's shape: what holds by default is left out. */
export function configuredValues({ values }: Configuration): ConfigFile {
  return nestValues(values.filter(({ source }) => source !== "default").map(({ key, value }) => [key, value]));
}
