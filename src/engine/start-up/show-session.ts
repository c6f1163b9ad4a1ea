import type { HookCallback, McpServerConfig, Options } from "@anthropic-ai/claude-agent-sdk";
import { realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { findShown, inSightOf, isInside, toAgent, toHost, type SeenDirectory } from "../../core/internal.ts";
import type { SessionOptions } from "../options/tool-server.ts";

/** The directory of a session that its agent sees by another path. None where that path would hide what the CLI needs. */
export function directoryShown({ cwd, ...options }: SessionOptions): SeenDirectory | undefined {
  const directory = findShown(cwd ?? "");
  if (!directory) return undefined;
  const { at, kept } = directory.shown;
  const { HOME, CLAUDE_CONFIG_DIR, TMPDIR } = options.env ?? {};
  const needed = [options.pathToClaudeCodeExecutable, HOME, CLAUDE_CONFIG_DIR, TMPDIR, tmpdir()].flatMap(realPath);
  const hides = (path: string): boolean => isInside(path, at) && !kept.some((each) => isInside(path, each));
  return needed.some(hides) ? undefined : directory;
}

/** The options of a session whose agent sees its directory by another path: code of this process gets its own paths, and answers in the agent's. */
export function showSession(options: Options): Options {
  const directory = directoryShown(options);
  if (!directory) return options;
  const { sessionStore, canUseTool, hooks, mcpServers, ...rest } = options;
  return {
    ...toAgent(rest, directory),
    cwd: directory.shown.at,
    ...(sessionStore ? { sessionStore } : {}),
    ...(canUseTool ? { canUseTool: (...call) => inSightOf(directory, () => canUseTool(...call)) } : {}),
    ...(hooks ? { hooks: showHooks(hooks, directory) } : {}),
    ...(mcpServers ? { mcpServers: showServers(toAgent(mcpServers, directory), directory) } : {}),
  };
}

function showHooks(hooks: Hooks, directory: SeenDirectory): Hooks {
  const show =
    (hook: HookCallback): HookCallback =>
    async (input, ...rest) => {
      const answer = await inSightOf(directory, () => hook(toHost(input, directory), ...rest));
      return toAgent(answer, directory);
    };
  const shown = Object.entries(hooks).map(([event, matchers]) => [
    event,
    matchers.map((matcher) => ({ ...matcher, hooks: matcher.hooks.map(show) })),
  ]);
  return Object.fromEntries(shown) as Hooks;
}

type Hooks = NonNullable<Options["hooks"]>;

function realPath(path: string | undefined): readonly string[] {
  if (path === undefined) return [];
  try {
    return [realpathSync(path)];
  } catch {
    return [path];
  }
}

/** Tools of this process get an agent's paths as paths of this process, so that none mistakes the workspace for the branch. */
function showServers(
  servers: Readonly<Record<string, McpServerConfig>>,
  directory: SeenDirectory,
): Record<string, McpServerConfig> {
  for (const config of Object.values(servers)) if ("instance" in config) showServer(config.instance, directory);
  return { ...servers };
}

/** What is changed is the way between the server and the CLI: the server itself is made for one process. */
function showServer(server: Server, directory: SeenDirectory): void {
  const connect = server.connect.bind(server);
  server.connect = async (transport) => {
    await connect(transport);
    const { onmessage } = transport;
    const send = transport.send.bind(transport);
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- a transport is no event target: the server's own handler is replaced
    transport.onmessage = (message, ...rest) =>
      inSightOf(directory, () => onmessage?.(toHost(message, directory), ...rest));
    transport.send = async (message, ...rest) => await send(toAgent(message, directory), ...rest);
  };
}

type Server = Extract<McpServerConfig, { readonly instance: unknown }>["instance"];
