import { once } from "node:events";
import { z } from "zod";
import { SkeinError, errorFromRecord } from "../../core/internal.ts";
import { ClaudeSDKClient, claudePrompt, type ClaudeOptions } from "../../engine/internal.ts";
import { openOfflineModel, type MessagesRequest, type OfflineModel } from "../../offline/internal.ts";
import { toOfferedCommand, type OfferedCommand, toOfferedTools, toolPrefix, type OfferedTool } from "./offered.ts";

export interface AgentOffer {
  readonly cliVersion: string;
  readonly commands: readonly OfferedCommand[];
  readonly tools: readonly OfferedTool[];
  readonly agents: readonly string[];
  readonly plugins: z.infer<typeof Init>["plugins"];
  /** Their tools by full name, those too that a rule keeps from the model. */
  readonly servers: readonly { readonly name: string; readonly status: string; readonly tools: readonly string[] }[];
}

/** A folder whose settings may be read: the only way to the option that makes the CLI read them. */
export interface TrustedSettings {
  readonly directory: string;
  /** Reads the settings files, as Claude Code does in this folder: they bring commands, plugins, tool servers and rules. */
  readonly options: Pick<ClaudeOptions, "settingSources">;
  /** Fails unless the folder is still as it was when it was trusted; to be asked once the CLI has loaded it. */
  verify(): Promise<void>;
}

export interface AskOfferOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  /** The folder's settings, where they are to be read; without them the CLI runs nothing of the folder. */
  readonly settings?: TrustedSettings;
  readonly options?: ClaudeOptions;
}

/** A server that does not answer is given up by the CLI before this. */
const LONGEST_ANSWER_MS = 90_000;

const Init = z.looseObject({
  claude_code_version: z.string(),
  skills: z.array(z.string()).default([]),
  terminal_slash_commands: z.array(z.string()).default([]),
  agents: z.array(z.string()).default([]),
  plugins: z.array(z.looseObject({ name: z.string(), path: z.string(), version: z.string().optional() })).default([]),
});

/**
 * Asks the CLI what it offers in a folder. It is started against the embedded model and sends it one request, which is
 * where the tools stand with their schemas. No hook of the folder is run, no session is kept.
 */
export async function askOffer(directory: string, asking: AskOfferOptions): Promise<AgentOffer> {
  const requests: MessagesRequest[] = [];
  await using model = await openOfflineModel("direct", { onRequest: (request) => void requests.push(request) });
  const { env, settings } = offlineInFolder(model, asking.env);
  await using client = new ClaudeSDKClient({
    cwd: directory,
    model: "sonnet",
    persistSession: false,
    permissionMode: "default",
    timeoutMs: LONGEST_ANSWER_MS,
    signal: asking.signal,
    ...asking.settings?.options,
    ...asking.options,
    env: { ...env, ...ALL_TOOLS_AT_ONCE, ...asking.options?.env },
    settings: { ...settings, disableAllHooks: true },
  });
  await client.connect();
  const answers = Promise.all([client.supportedCommands(), client.mcpStatus()]);
  const [commands, servers] = await orGiveUp(answers, asking.signal);
  await asking.settings?.verify();
  const init = await startTurn(client);
  const named = servers.map(({ name, serverInfo }) => ({ name, calledItself: serverInfo?.name }));
  return {
    cliVersion: init.claude_code_version,
    commands: commands.map((command) =>
      toOfferedCommand(command, {
        skills: init.skills,
        terminalCommands: init.terminal_slash_commands,
        plugins: init.plugins.map(({ name }) => name),
      }),
    ),
    tools: toOfferedTools(mostTools(requests), named),
    agents: init.agents,
    plugins: init.plugins,
    servers: servers.map(({ name, status, tools = [] }) => ({
      name,
      status,
      tools: tools.map((tool) => `${toolPrefix(name)}${tool.name}`),
    })),
  };
}

/** Runs the one turn that makes the CLI tell of its session, and send the request. */
async function startTurn(client: ClaudeSDKClient): Promise<z.infer<typeof Init>> {
  let init: unknown;
  for await (const event of client.stream(claudePrompt("say ok"))) {
    if (event.type === "turn-start") init ??= event.raw;
    if (event.type === "turn-end" && event.result.error) throw errorFromRecord(event.result.error);
  }
  const parsed = Init.safeParse(init);
  if (parsed.success) return parsed.data;
  throw new SkeinError("The CLI did not report what it offers", { kind: "runtime", hint: "Run skein doctor" });
}

/** A question to the CLI has no limit of its own: a CLI that never answers is given up. */
async function orGiveUp<T>(answer: Promise<T>, cancelled: AbortSignal): Promise<T> {
  const late = AbortSignal.timeout(LONGEST_ANSWER_MS);
  const signal = AbortSignal.any([cancelled, late]);
  const abandoned = signal.aborted ? Promise.resolve() : once(signal, "abort");
  const givenUp = abandoned.then(() => {
    throw late.aborted
      ? new SkeinError("The CLI did not answer in time", { kind: "timeout", hint: "Run skein doctor" })
      : new SkeinError("The command was cancelled", { kind: "cancelled" });
  });
  return await Promise.race([answer, givenUp]);
}

/** Requests beside the turn, such as one for a title, offer fewer tools or none. */
function mostTools(requests: readonly MessagesRequest[]): MessagesRequest {
  const [most] = requests.toSorted((left, right) => (right.tools?.length ?? 0) - (left.tools?.length ?? 0));
  if (most) return most;
  throw new SkeinError("The CLI sent no request to the embedded model", { kind: "runtime", hint: "Run skein doctor" });
}

/** Tools are all told to the model at once, those of tool servers too, instead of being searched for or coming later. */
export const ALL_TOOLS_AT_ONCE = { ENABLE_TOOL_SEARCH: "false", MCP_CONNECTION_NONBLOCKING: "0" } as const;

/**
 * The variables of an offline model for a CLI that reads the settings files: the user's own folder instead of the one
 * for offline sessions, because the commands, skills and plugins of the user are there.
 */
export function offlineInFolder(
  { env }: OfflineModel,
  host: Readonly<Record<string, string | undefined>>,
): { readonly env: NonNullable<ClaudeOptions["env"]>; readonly settings: { readonly env: Record<string, string> } } {
  const { CLAUDE_CONFIG_DIR: _, ...variables } = env;
  return {
    env: { ...variables, CLAUDE_CONFIG_DIR: host["CLAUDE_CONFIG_DIR"] },
    // A settings file can set variables too, and would lead the CLI past the offline model.
    settings: { env: Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, value ?? ""])) },
  };
}
