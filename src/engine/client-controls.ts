import type {
  AccountInfo,
  AgentInfo,
  McpServerStatus,
  McpSetServersResult,
  ModelInfo,
  Query,
  RewindFilesResult,
  SDKControlGetContextUsageResponse,
  SDKControlGetUsageResponse,
  SDKControlInitializeResponse,
  SDKControlMcpReadResourceResponse,
  SDKControlReadFileResponse,
  SDKControlReloadOutputStylesResponse,
  SDKControlReloadPluginsResponse,
  SDKControlReloadSkillsResponse,
  SlashCommand,
} from "@anthropic-ai/claude-agent-sdk";
import { z } from "zod";
import { ClaudeConfigError, SkeinError } from "../core/internal.ts";
import type { ClaudeOptions } from "./options/claude-options.ts";
import { parseClaudeOptions } from "./options/parse-options.ts";
import { mintServers } from "./options/tool-server.ts";
import type { CliRequest } from "./turns/kept-process.ts";

/** Settings that a running CLI is given, over those of files; null takes one away again. */
export type AppliedSettings = Parameters<Query["applyFlagSettings"]>[0];

/** Parts of a session that have a way of their own, or that hold a promise for the whole conversation. */
const NOT_APPLIED: Readonly<Record<string, string>> = {
  model: "Use setModel().",
  sandbox: "Give the option sandbox when you open the conversation; nothing that runs can loosen it.",
};

/**
 * What a running CLI can be asked and told, beside its turns. What is told holds for the process: a turn with another `effort`, `tools` or
 * `maxResponses`, and a process that was lost, begin without it. None of it can be recorded in a trace; a `Conversation`, which
 * records, has only the controls that it can write down.
 */
export abstract class ClientControls {
  #releaseServers: () => void = () => undefined;

  protected abstract request<Answer>(request: CliRequest<Answer>): Promise<Answer>;

  /** Lets go of the tool servers in this process that `setMcpServers` added: the CLI that used them is gone. */
  protected releaseServers(): void {
    this.#releaseServers();
    this.#releaseServers = () => undefined;
  }

  /** What fills the context window, by part. `summary` estimates it without asking the API. */
  async contextUsage(
    options: { readonly detail?: "summary" | "full" } = {},
  ): Promise<SDKControlGetContextUsageResponse> {
    return await this.request({ ask: (query) => query.getContextUsage({ ...options }) });
  }

  /** What the session has cost and used, and how far the limits of the account's plan are used up; null for a key, which has none. */
  async usage(): Promise<SDKControlGetUsageResponse> {
    return await this.request({
      ask: (query) => query.usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET({ skipBehaviors: true }),
    });
  }

  /** The slash commands and skills that can be used here. */
  async supportedCommands(): Promise<readonly SlashCommand[]> {
    return await this.request({ ask: (query) => query.supportedCommands() });
  }

  /** The models that this account may choose. */
  async supportedModels(): Promise<readonly ModelInfo[]> {
    return await this.request({ ask: (query) => query.supportedModels() });
  }

  /** The subagents that can be delegated to here. */
  async supportedAgents(): Promise<readonly AgentInfo[]> {
    return await this.request({ ask: (query) => query.supportedAgents() });
  }

  /** Whose account or key the CLI works with. */
  async accountInfo(): Promise<AccountInfo> {
    return await this.request({ ask: (query) => query.accountInfo() });
  }

  /** All that the CLI said when it started: commands, agents, models, account, output styles. */
  async initializationResult(): Promise<SDKControlInitializeResponse> {
    return await this.request({ ask: (query) => query.initializationResult() });
  }

  /** Asks for the same anew, and has the CLI ask again what nobody has answered yet. */
  async reinitialize(): Promise<SDKControlInitializeResponse> {
    return await this.request({ ask: (query) => query.reinitialize() });
  }

  /** How many tokens the model may think, from the next response on; null for its own choice. Not recorded with the turns. */
  async setThinkingTokens(limit: number | null, display?: "summarized" | "omitted" | null): Promise<void> {
    if (limit !== null) checkArgument("limit", z.int().nonnegative(), limit, "a whole number of tokens, or null");
    checkArgument("display", z.enum(["summarized", "omitted"]).nullish(), display, "summarized, omitted or null");
    await this.request({ ask: (query) => query.setMaxThinkingTokens(limit, display) });
  }

  /** Settings over those of files, from here on; all of a call is refused where one is wrong. Not recorded with the turns. */
  async applySettings(settings: AppliedSettings): Promise<void> {
    checkArgument("settings", z.record(z.string(), z.unknown()), settings, "a plain object");
    for (const [name, hint] of Object.entries(NOT_APPLIED)) {
      if (!Object.hasOwn(settings, name)) continue;
      throw new ClaudeConfigError(`${name} cannot be applied as a setting`, { option: "settings", target: name, hint });
    }
    await this.request({
      ask: (query) => query.applyFlagSettings(settings),
      refused: refusedFor("settings", "Give settings as settings.json has them."),
    });
  }

  /** Writes into a settings file of the user's or the folder's, for later sessions too; the CLI takes few keys. Not recorded with the turns. */
  async updateSettings(
    source: "localSettings" | "userSettings",
    settings: Readonly<Record<string, string>>,
  ): Promise<void> {
    checkArgument("source", z.enum(["localSettings", "userSettings"]), source, "localSettings or userSettings");
    checkArgument("settings", z.record(z.string(), z.string()), settings, "an object of texts");
    await this.request({
      ask: (query) => query.updateSettings(source, { ...settings }),
      refused: refusedFor(source, "The source must be in settingSources; see the SDK for the keys that it takes."),
    });
  }

  /** Which tool servers are connected. */
  async mcpStatus(): Promise<readonly McpServerStatus[]> {
    return await this.request({ ask: (query) => query.mcpServerStatus() });
  }

  /** Puts these tool servers in place of those that were set here before, and of those in this process. Not recorded with the turns. */
  async setMcpServers(servers: NonNullable<ClaudeOptions["mcpServers"]>): Promise<McpSetServersResult> {
    parseClaudeOptions({ mcpServers: servers });
    const { options, release } = await mintServers({ mcpServers: servers });
    try {
      const set = await this.request({ ask: (query) => query.setMcpServers(options.mcpServers ?? {}) });
      this.releaseServers();
      this.#releaseServers = release;
      return set;
    } catch (error) {
      release();
      throw error;
    }
  }

  /** Turns a tool server off, or on again. Not recorded with the turns. */
  async toggleMcpServer(name: string, isEnabled: boolean): Promise<void> {
    await this.request({
      ask: (query) => query.toggleMcpServer(name, isEnabled),
      refused: refusedFor(name, KNOWN_SERVERS),
    });
  }

  /** Connects a tool server anew. */
  async reconnectMcpServer(name: string): Promise<void> {
    await this.request({ ask: (query) => query.reconnectMcpServer(name), refused: refusedFor(name, KNOWN_SERVERS) });
  }

  /** Asks about each call of a server even where the permission mode allows all; null ends that. It can only tighten. Not recorded with the turns. */
  async setMcpPermissionMode(name: string, mode: "default" | "auto" | null): Promise<{ readonly warning?: string }> {
    checkArgument("mode", z.enum(["default", "auto"]).nullable(), mode, "default, auto or null");
    return await this.request({ ask: (query) => query.setMcpPermissionModeOverride(name, mode) });
  }

  /** A page (`ui://…`) that a server offers to be shown. It is somebody else's HTML: show it apart. */
  async readMcpResource(name: string, uri: string): Promise<SDKControlMcpReadResourceResponse> {
    return await this.request({
      ask: (query) => query.readMcpResource(name, uri),
      refused: refusedFor(uri, "Name a connected server and a ui:// address that one of its tools declares."),
    });
  }

  /** Ends a task in the background, by the id in the messages that tell of it. One that does not run is passed over. */
  async stopTask(taskId: string): Promise<void> {
    await this.request({
      ask: (query) => query.stopTask(taskId),
      refused: refusedFor(taskId, "Take the task_id of a task_started message whose task still runs."),
    });
  }

  /** Sends the running commands and subagents to the background, or the one of a tool call; gives whether there was any. */
  async backgroundTasks(toolUseId?: string): Promise<boolean> {
    return await this.request({ ask: (query) => query.backgroundTasks(toolUseId) });
  }

  /** Reads the plugins from disk again, and loads more. Not recorded with the turns. */
  async reloadPlugins(options: Parameters<Query["reloadPlugins"]>[0] = {}): Promise<SDKControlReloadPluginsResponse> {
    if (options.addPlugins) parseClaudeOptions({ plugins: options.addPlugins });
    return await this.request({
      ask: (query) => query.reloadPlugins(options),
      refused: refusedFor("plugins", "Give absolute paths of plugins; with refuseIfBusy, ask again when no turn runs."),
    });
  }

  /** Reads the skills from disk again. */
  async reloadSkills(): Promise<SDKControlReloadSkillsResponse> {
    return await this.request({ ask: (query) => query.reloadSkills() });
  }

  /** Reads the output styles from disk again. */
  async reloadOutputStyles(): Promise<SDKControlReloadOutputStylesResponse> {
    return await this.request({ ask: (query) => query.reloadOutputStyles() });
  }

  /** A file as the agent may read it; null where it is not there or the agent may not. */
  async readFile(
    path: string,
    options: { readonly maxBytes?: number; readonly encoding?: "utf-8" | "base64" } = {},
  ): Promise<SDKControlReadFileResponse | null> {
    return await this.request({ ask: (query) => query.readFile(path, { ...options }) });
  }

  /** Has the CLI take a file as read at a time (milliseconds since 1970), so that Edit works; not where it was changed since. Not recorded with the turns. */
  async seedReadState(path: string, modifiedAt: number): Promise<void> {
    checkArgument("modifiedAt", z.number().nonnegative(), modifiedAt, "a time in milliseconds");
    await this.request({ ask: (query) => query.seedReadState(path, Math.floor(modifiedAt)) });
  }

  /** Takes back what Write and Edit did since a user message. It leaves what Bash did: a snapshot covers that. */
  async rewindFiles(userMessageId: string, options: { readonly dryRun?: boolean } = {}): Promise<RewindFilesResult> {
    return await this.request({
      ask: (query) => query.rewindFiles(userMessageId, { ...options }),
      refused: refusedFor(
        userMessageId,
        "It needs `enableFileCheckpointing` and the UUID of a user message in this session.",
      ),
    });
  }
}

const KNOWN_SERVERS = "mcpStatus() lists the servers of this session.";

/** The error of what the CLI refuses, in its words. */
function refusedFor(target: string, hint: string): NonNullable<CliRequest<never>["refused"]> {
  return (message, cause) => new SkeinError(message, { kind: "usage", target, hint, cause });
}

function checkArgument(name: string, schema: z.ZodType, value: unknown, expected: string): void {
  if (schema.safeParse(value).success) return;
  throw new SkeinError(`${name} must be ${expected}`, { kind: "usage", target: name, hint: `Give ${expected}.` });
}
