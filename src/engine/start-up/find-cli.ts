import { execFile } from "node:child_process";
import { access, constants, stat } from "node:fs/promises";
import { createRequire } from "node:module";
import { delimiter, join, resolve } from "node:path";
import { promisify } from "node:util";
import { ClaudeNotFoundError, refusePlugAndPlay } from "../../core/internal.ts";
import type { ClaudeOptions } from "../options/claude-options.ts";
import type { EnvVariables } from "../processes/env-variables.ts";

const run = promisify(execFile);
const require = createRequire(import.meta.url);

export interface FoundCli {
  readonly path: string;
  readonly version: string;
}

/** What runs a CLI that is a script: this Node by default. */
type ScriptRunner = Pick<ClaudeOptions, "executable" | "executableArgs">;

/** Finds the CLI, the given one or the one that comes with the SDK, and asks it for its version. */
export async function findCli(
  cliPath?: string,
  { executable, executableArgs = [] }: ScriptRunner = {},
): Promise<FoundCli> {
  const path = cliPath ?? bundledCliPath();
  const command = isScript(path) ? [executable ?? process.execPath, ...executableArgs, path] : [path];
  const { stdout } = await run(command[0] ?? path, [...command.slice(1), "--version"], { timeout: 20_000 }).catch(
    async (error: unknown) => {
      const said = (error as Error).message.split("\n", 1)[0];
      throw cliNotFound(path, (await findReason(path)) ?? `it does not run: ${said}`, error);
    },
  );
  const version = /^(\d+\.\d+\.\d+\S*) \(Claude Code\)/.exec(stdout)?.[1];
  if (version === undefined) throw cliNotFound(path, "it is another program");
  return { path, version };
}

/** Whether the SDK hands a path to Node instead of executing it. */
export function isScript(path: string): boolean {
  return /\.(?:m?js|tsx?|jsx)$/.test(path);
}

/** Where the SDK's platform package put its binary. */
export function bundledCliPath(): string {
  const binary = process.platform === "win32" ? "claude.exe" : "claude";
  const name = `@anthropic-ai/claude-agent-sdk-${process.platform}-${process.arch}`;
  for (const candidate of [name, `${name}-musl`]) {
    try {
      return require.resolve(`${candidate}/${binary}`);
    } catch {
      // The next candidate, then the error below.
    }
  }
  refusePlugAndPlay();
  throw cliNotFound(`${name}/${binary}`, "its package is not installed");
}

function cliNotFound(cliPath: string, why: string, cause?: unknown): ClaudeNotFoundError {
  return new ClaudeNotFoundError(`The Claude Code CLI was not found at ${cliPath}: ${why}`, {
    cliPath,
    target: cliPath,
    hint: "Install again without leaving out optional dependencies, or give the path of a `claude` executable.",
    cause,
  });
}

const known = new Set<string>();

/** Refuses a CLI that is not there, cannot be executed, or is another program; the last is asked once for each path. */
export async function checkCliPath(cliPath: string, env: EnvVariables, runner: ScriptRunner = {}): Promise<void> {
  const candidates = /[\\/]/.test(cliPath)
    ? [resolve(cliPath)]
    : (env["PATH"] ?? "").split(delimiter).map((folder) => join(folder, cliPath));
  const reasons = await Promise.all(candidates.map(findReason));
  const found = candidates[reasons.indexOf(undefined)];
  if (found === undefined) {
    throw cliNotFound(cliPath, candidates.length === 1 ? (reasons[0] ?? "") : "no folder of PATH has it");
  }
  const asked = [runner.executable, ...(runner.executableArgs ?? []), found].join("\0");
  if (!known.has(asked)) await findCli(found, runner);
  known.add(asked);
}

async function findReason(path: string): Promise<string | undefined> {
  const found = await stat(path).catch(() => undefined);
  if (!found) return "there is no such file";
  if (!found.isFile()) return "it is not a file";
  return await access(path, isScript(path) ? constants.R_OK : constants.X_OK).then(
    () => undefined,
    () => "it is not executable",
  );
}
