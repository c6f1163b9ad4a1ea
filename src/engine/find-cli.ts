import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { promisify } from "node:util";
import { ClaudeNotFoundError } from "../core/index.ts";

const run = promisify(execFile);
const require = createRequire(import.meta.url);

/** A CLI that answers. */
export interface FoundCli {
  readonly path: string;
  readonly version: string;
}

/** Finds the CLI, the given one or the one that comes with the SDK, and asks it for its version. */
export async function findCli(cliPath?: string): Promise<FoundCli> {
  const path = cliPath ?? bundledCliPath();
  const { stdout } = await run(path, ["--version"], { timeout: 20_000 }).catch((error: unknown) => {
    throw notFound(path, `it does not run: ${(error as Error).message.split("\n", 1)[0]}`, error);
  });
  const version = /^(\d+\.\d+\.\d+\S*) \(Claude Code\)/.exec(stdout)?.[1];
  if (version === undefined) throw notFound(path, "it is another program");
  return { path, version };
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
  throw notFound(`${name}/${binary}`, "its package is not installed");
}

function notFound(cliPath: string, why: string, cause?: unknown): ClaudeNotFoundError {
  return new ClaudeNotFoundError(`The Claude Code CLI was not found at ${cliPath}: ${why}`, {
    cliPath,
    target: cliPath,
    hint: "Install again without leaving out optional dependencies, or give the path of a `claude` executable.",
    cause,
  });
}
