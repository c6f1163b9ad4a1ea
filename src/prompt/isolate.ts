import { realpath } from "node:fs/promises";
import { resolve } from "node:path";
import { defined, SkeinError } from "../core/index.ts";
import { detectSandbox, sandboxRemedy, type ClaudeOptions } from "../engine/index.ts";
import {
  createPrivateHome,
  foldersToDeny,
  isolatedEnvironment,
  IsolationConfig,
  splitEnvironment,
  type PrivateHome,
} from "../isolation/index.ts";
import { guardTools } from "./isolation/guard-tools.ts";
import { mergeOptions } from "./isolation/merge-options.ts";
import { placeSkillPlugin } from "./isolation/place-skills.ts";
import { fileToolSettings, sandboxSettings, type SandboxPlan } from "./isolation/sandbox-settings.ts";
import type { Skill } from "./skill.ts";

/** Options for turns that are kept apart from the machine, and what has to be cleared away after them. */
export interface Isolation extends AsyncDisposable {
  readonly options: ClaudeOptions;
  /** The agent's private home. */
  readonly home: string;
}

/** What an isolation needs beside its configuration. */
export interface IsolateParts {
  /** Skills that the agent is given. */
  readonly skills?: readonly Skill[];
  /** The host's variables; this process's by default. */
  readonly hostEnv?: Readonly<Record<string, string | undefined>>;
  /** Where the private home is made; the folder for temporary files by default. */
  readonly folder?: string;
}

/**
 * Makes options under which an agent is confined: a private home with nothing of the user's in it, an environment by an allow list, no
 * settings but these, a sandbox for commands, and file tools and web tools held to the same bounds. Refuses before anything is started
 * where the sandbox cannot be had. Dispose it after the last turn: the home is removed.
 */
export async function isolate(
  config: IsolationConfig,
  options: ClaudeOptions = {},
  { skills = [], hostEnv = process.env, folder }: IsolateParts = {},
): Promise<Isolation> {
  const checked = IsolationConfig(config);
  mergeOptions(options, {});
  if (checked.sandbox.enabled) await requireSandbox(checked, hostEnv["PATH"]);
  const home = await createPrivateHome(folder);
  try {
    const given = skills.length === 0 ? options : await withSkills(options, skills, home);
    const own = await isolatedOptions(checked, given, { home, hostEnv });
    return { options: mergeOptions(given, own), home: home.home, [Symbol.asyncDispose]: home[Symbol.asyncDispose] };
  } catch (error) {
    await home[Symbol.asyncDispose]();
    throw error;
  }
}

async function requireSandbox({ sandbox }: IsolationConfig, path: string | undefined): Promise<void> {
  const isWeaker = sandbox.enableWeakerNestedSandbox;
  const trouble = sandboxRemedy(await detectSandbox({ path: path ?? "", isWeaker }));
  if (!trouble) return;
  // The weaker one does without the new /proc that many containers refuse.
  const instead = isWeaker ? "enabled: false" : "enableWeakerNestedSandbox: true";
  throw new SkeinError(`The sandbox that isolation needs is not available: ${trouble.reason}`, {
    kind: "config",
    target: "sandbox",
    hint: `To get it, ${trouble.remedy}; SandboxConfig({ ${instead} }) asks for less`,
  });
}

async function withSkills(options: ClaudeOptions, skills: readonly Skill[], home: PrivateHome): Promise<ClaudeOptions> {
  await placeSkillPlugin(skills, home.plugin);
  const plugins = [...(options.plugins ?? []), { type: "local" as const, path: home.plugin }];
  return { ...options, plugins, skills: options.skills ?? "all" };
}

async function isolatedOptions(
  config: IsolationConfig,
  options: ClaudeOptions,
  { home, hostEnv }: { readonly home: PrivateHome; readonly hostEnv: NonNullable<IsolateParts["hostEnv"]> },
): Promise<ClaudeOptions> {
  const { sandbox } = config;
  const cwd = resolve(options.cwd ?? ".");
  const given = options.env ? { given: options.env } : {};
  const { env, secrets } = isolatedEnvironment(config, { home, host: hostEnv, ...given });
  const plugins = (options.plugins ?? []).map(({ path }) => resolve(cwd, path));
  const added = (options.additionalDirectories ?? []).map((path) => resolve(cwd, path));
  const writable = await spellings([cwd, ...added, ...sandbox.writablePaths]);
  const readable = await spellings([...sandbox.readablePaths, ...plugins]);
  const own = await splitEnvironment(home, { path: env["PATH"] ?? "", writable });
  const plan: SandboxPlan = { config, home, closed: await foldersToDeny(), readable, writable, secrets };
  return {
    cwd,
    env: { ...env, ...own, ...rootMayBypass(config, options) },
    settingSources: [],
    strictMcpConfig: true,
    ...(sandbox.enabled
      ? { sandbox: sandboxSettings(plan), settings: fileToolSettings(plan), ...guardTools(plan) }
      : {}),
    additionalDirectories: sandbox.writablePaths,
    maxProcesses: options.maxProcesses ?? sandbox.maxProcesses,
    ...(sandbox.maxMemoryBytes === undefined ? {} : { memoryLimitMb: sandbox.maxMemoryBytes / 1024 ** 2 }),
    ...defined({ maxDiskBytes: sandbox.maxDiskBytes }),
  };
}

/** The CLI refuses root to bypass permissions unless it is told that there is a sandbox around; here there is one. */
function rootMayBypass({ sandbox }: IsolationConfig, { permissionMode }: ClaudeOptions): Record<string, string> {
  const isRoot = process.getuid?.() === 0;
  return isRoot && sandbox.enabled && permissionMode === "bypassPermissions" ? { IS_SANDBOX: "1" } : {};
}

/** Paths as they are written and as they really are: the CLI takes them as written, commands and file tools arrive by either. */
async function spellings(paths: readonly string[]): Promise<readonly string[]> {
  const real = await Promise.all(paths.map(async (path) => await realpath(path).catch(() => path)));
  return [...new Set([...paths, ...real])];
}
