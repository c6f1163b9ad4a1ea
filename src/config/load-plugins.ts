import { pathToFileURL } from "node:url";
import { z } from "zod";
import { messageOf, SkeinError } from "../core/internal.ts";
import { findPluginFiles, inspectOwnConfiguration, type SkeinPlugin } from "../engine/internal.ts";
import { changedConfig } from "./changed-config.ts";
import type { ConfiguredPlugin } from "./load-config.ts";

const hook = z.custom((value) => value === undefined || typeof value === "function", { error: "a function" });

const Plugin = z.looseObject({
  name: z.string().min(1),
  beforeQuery: hook.optional(),
  onMessage: hook.optional(),
  onError: hook.optional(),
  afterQuery: hook.optional(),
  metrics: hook.optional(),
});

/** Loads the plugins of a configuration: each module's `createPlugin` is called with its options. Those of a workspace only as they were trusted. */
export async function loadPlugins(plugins: readonly ConfiguredPlugin[]): Promise<readonly SkeinPlugin[]> {
  const loaded: SkeinPlugin[] = [];
  for (const plugin of plugins) loaded.push(await loadPlugin(plugin));
  return loaded;
}

async function loadPlugin(plugin: ConfiguredPlugin): Promise<SkeinPlugin> {
  const { folder, module, trustedHash } = plugin;
  // Nobody looks at the packages of the user's own file: around its folder an agent, or another user, may have put one.
  const found = await findPluginFiles(folder, module, { onlyHere: trustedHash === undefined });
  if (!found) {
    throw wrong(plugin, "there is no such module", {
      hint: `Name a file inside ${folder}, such as ./plugins/log.mjs, or a package that is installed there`,
    });
  }
  if (trustedHash !== undefined) await checkTrusted(folder, trustedHash, found.entry);
  // The module's code is kept by its address: what was changed and trusted again is another one.
  const address = `${pathToFileURL(found.entry).href}${trustedHash === undefined ? "" : `?trusted=${trustedHash.slice(0, 16)}`}`;
  const made = await createFrom(plugin, address);
  // What was loaded by now is what was trusted, unless somebody was very quick: then it is used no further.
  if (trustedHash !== undefined) await checkTrusted(folder, trustedHash, found.entry);
  return made;
}

async function createFrom(plugin: ConfiguredPlugin, address: string): Promise<SkeinPlugin> {
  let made: unknown;
  try {
    const { createPlugin } = (await import(address)) as { readonly createPlugin?: unknown };
    if (typeof createPlugin !== "function") throw new TypeError("it exports no function createPlugin");
    made = await (createPlugin as (options: ConfiguredPlugin["options"]) => unknown)(plugin.options);
  } catch (cause) {
    throw wrong(plugin, messageOf(cause), { cause });
  }
  const { error } = Plugin.safeParse(made);
  if (error) {
    const [issue] = error.issues;
    throw wrong(plugin, `its createPlugin gave no plugin: ${issue?.path.join(".") || "it"}: ${issue?.message}`);
  }
  return made as SkeinPlugin;
}

/** The file that is imported has to be one of those that were trusted: the way to it may have been another when it was found. */
async function checkTrusted(folder: string, trustedHash: string, entry: string): Promise<void> {
  const now = await inspectOwnConfiguration(folder);
  if (now?.hash !== trustedHash || !now.files.includes(entry)) throw changedConfig(folder);
}

function wrong(
  { module, place }: ConfiguredPlugin,
  why: string,
  { hint, cause }: { readonly hint?: string; readonly cause?: unknown } = {},
): SkeinError {
  const [, path = place, line] = /^(.*):(\d+)$/su.exec(place) ?? [];
  return new SkeinError(`The plugin ${module} (${place}) cannot be used: ${why}`, {
    kind: "config",
    target: path,
    hint: hint ?? "docs/guide/configuration.md says what a plugin's module has to be",
    cause,
    details: { key: "plugins", line: line === undefined ? null : Number(line), module },
  });
}
