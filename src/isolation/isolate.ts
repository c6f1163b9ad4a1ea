import { realpath } from "node:fs/promises";
import { resolve } from "node:path";
import { defined, SkeinError } from "../core/internal.ts";
import type { ClaudeOptions, EnvVariables } from "../engine/internal.ts";
import { refuseBeyondSession, refuseWorktrees } from "./calls/beyond-session.ts";
import { REFUSED_TOOLS, refuseUnknownTools } from "./calls/known-tools.ts";
import { mergeHooks, refuseCalls } from "./calls/refuse-calls.ts";
import { refuseHosts, toolsWithoutNetwork } from "./calls/refuse-hosts.ts";
import { refuseStartUpFiles } from "./calls/refuse-start-up-files.ts";
import { isolatedEnvironment } from "./home/isolated-environment.ts";
import { createPrivateHome, type PrivateHome } from "./home/private-home.ts";
import { splitEnvironment } from "./home/split-environment.ts";
import { IsolationConfig } from "./isolation-config.ts";
import { detectSandbox, sandboxRemedy } from "./sandbox/detect-sandbox.ts";
import { foldersToDeny } from "./sandbox/readable-folders.ts";
import { fileToolSettings, sandboxSettings, type SandboxPlan } from "./sandbox/sandbox-settings.ts";

/** Options for turns that are kept apart from the machine, and what has to be cleared away after them. */
export interface Isolation extends AsyncDisposable {
  readonly options: ClaudeOptions;
  /** The agent's private home. */
  readonly home: string;
}

/** What an isolation may be told beside its configuration. */
export interface IsolateOptions {
  /** The host's variables; this process's by default. */
  readonly hostEnv?: EnvVariables;
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
  { hostEnv = process.env, folder }: IsolateOptions = {},
): Promise<Isolation> {
  const checked = IsolationConfig(config);
  refuseOwn(options);
  if (checked.sandbox.enabled) await requireSandbox(checked, hostEnv["PATH"]);
  const home = await createPrivateHome(folder);
  try {
    const own = await isolatedOptions(checked, options, { home, host: hostEnv });
    return { options: mergeOptions(options, own), home: home.home, [Symbol.asyncDispose]: home[Symbol.asyncDispose] };
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

async function isolatedOptions(
  config: IsolationConfig,
  options: ClaudeOptions,
  { home, host }: { readonly home: PrivateHome; readonly host: EnvVariables },
): Promise<ClaudeOptions> {
  const { sandbox } = config;
  const cwd = resolve(options.cwd ?? ".");
  const { env, secrets } = isolatedEnvironment(config, { home, host, given: options.env ?? {} });
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
    ...defined({
      memoryLimitMb: sandbox.maxMemoryBytes && sandbox.maxMemoryBytes / 1024 ** 2,
      maxDiskBytes: sandbox.maxDiskBytes,
    }),
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

/** Holds the tools that the CLI runs outside of the sandbox, by a hook that is asked before every call, those of subagents too. */
function guardTools({ config, home, writable }: SandboxPlan): Pick<ClaudeOptions, "disallowedTools" | "hooks"> {
  const { networkPolicy } = config;
  return {
    disallowedTools: [...REFUSED_TOOLS, ...toolsWithoutNetwork(networkPolicy)],
    hooks: refuseCalls([
      refuseUnknownTools,
      refuseWorktrees,
      refuseBeyondSession,
      refuseHosts(networkPolicy),
      refuseStartUpFiles({ roots: writable, home: home.home }),
    ]),
  };
}

/** What an isolation sets by itself, a caller cannot. */
function refuseOwn({ sandbox, settingSources, settings }: ClaudeOptions): void {
  if (sandbox !== undefined) throw cannotBoth("sandbox", "leave it to the isolation's configuration");
  if (settingSources !== undefined) throw cannotBoth("settingSources", "leave it to the isolation's configuration");
  if (typeof settings === "string") throw cannotBoth("settings", "give them as an object, not as a file");
  if (settings && "sandbox" in settings) {
    throw cannotBoth("settings.sandbox", "leave it to the isolation's configuration");
  }
}

/** Puts what the isolation needs over the caller's options: lists are joined, the settings of both hold, the isolation's own first. */
function mergeOptions(given: ClaudeOptions, own: ClaudeOptions): ClaudeOptions {
  return {
    ...given,
    ...own,
    settings: mergeSettings((given.settings ?? {}) as Settings, (own.settings ?? {}) as Settings),
    additionalDirectories: [...(given.additionalDirectories ?? []), ...(own.additionalDirectories ?? [])],
    disallowedTools: [...(given.disallowedTools ?? []), ...(own.disallowedTools ?? [])],
    hooks: mergeHooks(own.hooks ?? {}, given.hooks),
  };
}

type Settings = Exclude<ClaudeOptions["settings"], string | undefined>;

/** Permission rules are joined; a switch of the isolation's own wins. */
function mergeSettings(given: Settings, own: Settings): Settings {
  const deny = [...(given.permissions?.deny ?? []), ...(own.permissions?.deny ?? [])];
  return { ...given, ...own, permissions: { ...given.permissions, ...own.permissions, deny } };
}

function cannotBoth(option: string, hint: string): SkeinError {
  return new SkeinError(`${option} cannot be set for an isolated turn: ${hint}`, { kind: "usage", target: option });
}
