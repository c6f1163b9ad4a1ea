import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { ClaudeConfigError, SkeinError } from "../../core/index.ts";
import type { ClaudeOptions } from "../options/claude-options.ts";
import { parseClaudeOptions } from "../options/parse-options.ts";
import type { EnvVariables } from "../processes/env-variables.ts";
import { checkCliPath } from "./find-cli.ts";

/** Refuses what cannot work, before anything is started. */
export async function checkOptions(options: ClaudeOptions, env: EnvVariables): Promise<void> {
  parseClaudeOptions(options);
  checkBypass(options, env);
  const cwd = resolve(options.cwd ?? ".");
  await checkThere("directory", "cwd", cwd);
  for (const directory of options.additionalDirectories ?? []) {
    await checkThere("directory", "additionalDirectories", resolve(cwd, directory));
  }
  for (const plugin of options.plugins ?? []) await checkThere("directory", "plugins", resolve(cwd, plugin.path));
  if (typeof options.settings === "string") await checkThere("file", "settings", resolve(cwd, options.settings));
  if (options.cliPath !== undefined) await checkCliPath(options.cliPath, env);
}

function checkBypass({ permissionMode }: ClaudeOptions, env: EnvVariables): void {
  if (permissionMode !== "bypassPermissions" || process.getuid?.() !== 0 || env["IS_SANDBOX"] === "1") return;
  throw new ClaudeConfigError("The CLI does not bypass permissions for root", {
    option: "permissionMode",
    hint: "Run as an ordinary user, or set IS_SANDBOX=1 if you can afford to lose the whole machine.",
  });
}

async function checkThere(kind: "directory" | "file", option: string, path: string): Promise<void> {
  const found = await stat(path).catch((cause: unknown) => {
    const what = option === "cwd" ? "working directory" : `${kind} of ${option}`;
    throw new SkeinError(`The ${what} ${path} cannot be used: ${(cause as Error).message}`, {
      kind: "filesystem",
      target: path,
      hint: "Create it first, or name another.",
      cause,
    });
  });
  if (kind === "directory" ? found.isDirectory() : found.isFile()) return;
  const hint = `Give ${option} a ${kind}.`;
  throw new SkeinError(`${path} is not a ${kind}`, { kind: "filesystem", target: path, hint });
}
