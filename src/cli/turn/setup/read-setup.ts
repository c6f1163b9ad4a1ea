import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { API_CREDENTIALS, defined, isSecretValue, SkeinError, toSkeinError } from "../../../core/internal.ts";
import { findCli, type ClaudeOptions } from "../../../engine/internal.ts";
import type { HostMount, NetworkPolicy, TrustedFolders } from "../../../isolation/internal.ts";
import { confine, KNOWN_TOOLS } from "../../../protocol/index.ts";
import type { CommandContext } from "../../define-command.ts";
import { findAgentFolder } from "../../open-workspace.ts";
import type { TurnFlags } from "../agent-flags.ts";
import { checkBounds, checkIsolatedEnv, readDomains } from "./bound-flags.ts";
import { loadSettings } from "./load-settings.ts";
import { readMounts } from "./mounts.ts";
import { checkedOptions, readJsonFlag, type JsonObject } from "./read-json-flag.ts";
import type { SetupFlags } from "./setup-flags.ts";

/** What an agent starts with, read and checked before anything is opened. */
export interface AgentSetup {
  readonly options: ClaudeOptions;
  /** The variables that the person named; they are meant for tools too. */
  readonly revealed: readonly string[];
  readonly isIsolated: boolean;
  /** What commands may reach on the network. */
  readonly network: NetworkPolicy;
  /** What is copied into the workspace before the first turn. */
  readonly mounts: readonly HostMount[];
  /** The settings that are loaded, where a person trusts them. */
  readonly settings?: TrustedFolders | undefined;
}

type Given = TurnFlags & { readonly cwd?: string | undefined; readonly resume?: string | undefined };

/** Reads the flags that say what an agent starts with. Each mistake is told with its flag. */
export async function readSetup(given: Given, context: CommandContext): Promise<AgentSetup> {
  const { effort, maxThinkingTokens, strictMcpConfig } = given;
  checkBounds(given);
  const network = readDomains(given);
  const env = readEnv(given.env, context.env);
  if (given.isolated && env) checkIsolatedEnv(env);
  const mcpServers = await readMcpConfig(given.mcpConfig);
  const additionalDirectories = await readDirectories(given.addDir, context);
  const options = defined({
    mcpServers,
    agents: given.agents === undefined ? undefined : await readAgents(given.agents),
    systemPrompt: readSystemPrompt(given),
    additionalDirectories,
    effort,
    thinking: maxThinkingTokens === undefined ? undefined : toThinking(maxThinkingTokens),
    fallbackModel: readFallback(given),
    outputSchema: given.jsonSchema === undefined ? undefined : await readSchema(given.jsonSchema),
    tools: given.tools === undefined ? undefined : readTools(given.tools),
    cliPath: given.cliPath === undefined ? undefined : await findGivenCli(given.cliPath),
  });
  // Whoever opens it says which folder it is.
  const cwd = await findAgentFolder(given.cwd, { ...context, notice: () => {} });
  return {
    isIsolated: given.isolated,
    network,
    mounts: await readMounts(given.mount, cwd),
    // Last, for it may be a question: nobody is asked before all that can be checked is.
    settings: await loadSettings(given.settingSources, { cwd, others: additionalDirectories ?? [], context }),
    options: { ...options, ...(strictMcpConfig ? { strictMcpConfig } : {}), ...(env ? { env } : {}) },
    revealed: Object.keys(env ?? {}).filter((name) => !API_CREDENTIALS.includes(name)),
  };
}

const MCP_EXAMPLE = '{"mcpServers":{"docs":{"command":"node","args":["server.js"]}}}';
const AGENTS_EXAMPLE = '{"reviewer":{"description":"Reviews code","prompt":"You review code."}}';
const SCHEMA_EXAMPLE = '{"type":"object","properties":{"done":{"type":"boolean"}},"required":["done"]}';

async function readMcpConfig(given: SetupFlags["mcpConfig"]): Promise<ClaudeOptions["mcpServers"]> {
  const flag = "--mcp-config";
  const servers: Record<string, unknown> = {};
  for (const each of given) {
    const { mcpServers } = await readJsonFlag(flag, each, MCP_EXAMPLE);
    if (typeof mcpServers !== "object" || mcpServers === null || Array.isArray(mcpServers)) {
      const hint = `It takes JSON such as ${MCP_EXAMPLE}`;
      throw new SkeinError(`${flag} has no object mcpServers`, { kind: "parse", target: flag, hint });
    }
    Object.assign(servers, mcpServers);
  }
  if (given.length === 0) return undefined;
  return checkedOptions(flag, { mcpServers: servers }, MCP_EXAMPLE).mcpServers;
}

async function readAgents(given: string | JsonObject): Promise<ClaudeOptions["agents"]> {
  const agents = await readJsonFlag("--agents", given, AGENTS_EXAMPLE);
  return checkedOptions("--agents", { agents }, AGENTS_EXAMPLE).agents;
}

async function readSchema(given: string | JsonObject): Promise<JsonObject> {
  const flag = "--json-schema";
  const schema = await readJsonFlag(flag, given, SCHEMA_EXAMPLE);
  const { type = "object" } = schema;
  if (type === "object") return schema;
  throw new SkeinError(`${flag}: the answer must be an object, and the schema's type is ${JSON.stringify(type)}`, {
    kind: "parse",
    target: flag,
    hint: `Put it into a property: ${SCHEMA_EXAMPLE}`,
  });
}

function readSystemPrompt({ systemPrompt, appendSystemPrompt: append }: SetupFlags): ClaudeOptions["systemPrompt"] {
  if (append === undefined) return systemPrompt;
  return systemPrompt === undefined
    ? { type: "preset", preset: "claude_code", append }
    : `${systemPrompt}\n\n${append}`;
}

function toThinking(budgetTokens: number): ClaudeOptions["thinking"] {
  return budgetTokens === 0 ? { type: "disabled" } : { type: "enabled", budgetTokens };
}

function readFallback({ fallbackModel, model }: Given): string | undefined {
  if (model?.trim() === "") throw noModel("--model", "names no model", "Name one, such as sonnet");
  if (fallbackModel === undefined) return undefined;
  const names = fallbackModel.split(",").map((name) => name.trim());
  const wrong = names.includes("")
    ? "names no model"
    : names.find((name) => name === model) && "names the same model as --model";
  if (!wrong) return names.join(",");
  throw noModel("--fallback-model", wrong, "Name another model, or several with commas between them");
}

function noModel(flag: string, why: string, hint: string): SkeinError {
  return new SkeinError(`${flag} ${why}`, { kind: "usage", target: flag, hint });
}

function readTools(given: readonly string[]): ClaudeOptions["tools"] {
  const names = given.flatMap((each) => each.split(/[\s,]+/u)).filter((name) => name !== "");
  if (names.length === 1 && names[0] === "default") return { type: "preset", preset: "claude_code" };
  // Other words are left to the CLI, which may have more tools; it says nothing of one that it does not know.
  const meant = (name: string): string | undefined =>
    KNOWN_TOOLS.find((tool) => tool !== name && tool.toLowerCase() === name.toLowerCase());
  const wrong = names.find((name) => !/^\w+$/u.test(name) || meant(name) !== undefined);
  if (wrong === undefined) return names;
  const tool = meant(wrong);
  const rest = "rules such as Bash(git:*) go to `allowedTools`, MCP servers to `mcpConfig`";
  throw new SkeinError(`--tools: ${wrong} is not the name of a built-in tool`, {
    kind: "usage",
    target: "--tools",
    hint: tool === undefined ? `Name tools, such as Read,Edit; ${rest}` : `Did you mean ${tool}?`,
  });
}

/** Directories are named from where the person is, not from where the agent works. */
async function readDirectories(given: readonly string[], context: CommandContext): Promise<string[] | undefined> {
  const found: string[] = [];
  for (const each of given) {
    const path = resolve(each);
    const stats = await stat(path).catch(() => undefined);
    if (!stats?.isDirectory()) {
      throw new SkeinError(`--add-dir: ${path} is ${stats ? "not a directory" : "not there"}`, {
        kind: "filesystem",
        target: "--add-dir",
        hint: "Name a directory that exists",
      });
    }
    found.push(await confine(path, context.confinement));
  }
  return found.length === 0 ? undefined : found;
}

type Variables = CommandContext["env"];

/** Variables by name take the value that they have here. No value is ever told, in an error neither. */
function readEnv(given: readonly string[], host: Variables): Record<string, string> | undefined {
  if (given.length === 0) return undefined;
  return Object.fromEntries(given.map((each) => readVariable(each, host)));
}

function readVariable(given: string, host: Variables): readonly [string, string] {
  const wrong = (message: string, hint = "Give NAME for a variable of yours, or NAME=VALUE"): SkeinError =>
    new SkeinError(message, { kind: "usage", target: "--env", hint });
  const [, name = "", value] = /^([^=]*)(?:=(.*))?$/su.exec(given) ?? [];
  if (!/^[A-Za-z_]\w*$/u.test(name))
    throw wrong("--env was given something that does not begin with a variable's name");
  if (value?.includes("\0")) throw wrong(`--env ${name} has a NUL character in its value`);
  const found = value ?? host[name];
  if (found !== undefined) return [name, found];
  const isTelling = isSecretValue(name);
  throw wrong(
    isTelling ? "--env was given a value without a name" : `--env ${name}: there is no variable of this name`,
    isTelling ? undefined : `Set it first, or give its value: \`env\` ${name}=VALUE`,
  );
}

/** A name without a slash is looked for on the PATH. */
async function findGivenCli(given: string): Promise<string> {
  const path = /[\\/]/u.test(given) ? resolve(given) : given;
  try {
    return (await findCli(path)).path;
  } catch (cause) {
    throw new SkeinError(`--cli-path: ${toSkeinError(cause).message}`, {
      kind: "cli_not_found",
      target: "--cli-path",
      hint: "Name the file of the Claude Code CLI, or leave the flag out for the one that comes with Skein",
      cause,
    });
  }
}
