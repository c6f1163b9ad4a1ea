import { resolve } from "node:path";
import type { Tool } from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";
import { SkeinError } from "../../core/internal.ts";
import { BUILT_IN_SCENARIOS } from "../../offline/internal.ts";
import type { CallContext, Command } from "../command/command.ts";
import type { Confinement } from "../command/confinement.ts";
import { inputSchema, toWords } from "../command/describe-command.ts";
import { unknownField, usageError } from "../command/parse-args.ts";

/** A command as a tool for agents and editors. What is not listed here, a model cannot call or give. */
interface McpTool {
  readonly name: string;
  readonly command: string;
  readonly description: string;
  readonly needs?: Power;
  /** The arguments of the command that the tool has, as they cross a process: a new flag of the command stays closed until it is listed. */
  readonly fields: readonly string[];
  /** Fields that it has besides, where something more is allowed. */
  readonly opens?: Readonly<Partial<Record<Power, readonly string[]>>>;
  /** Fields that the command can do without and the tool cannot. */
  readonly required?: readonly string[];
  readonly budget?: string;
}

const AGENT = [
  ...(["prompt", "cwd", "model", "offline", "disallowed_tools", "timeout"] as const),
  // None of these opens anything: prompts, a choice among what there is, and a schema that boundParams keeps from being a path.
  ...(["system_prompt", "append_system_prompt", "effort", "max_thinking_tokens", "fallback_model"] as const),
  ...(["json_schema", "tools", "retries"] as const),
] as const;

/** What brings in programs, variables, hosts or files of the person. */
const UNCONFINED = [
  ...(["permission_mode", "allowed_tools", "setting_sources", "mcp_config", "strict_mcp_config", "agents"] as const),
  ...(["env", "cli_path", "isolated", "allow_domain"] as const),
] as const;

/** Further files and directories of the person. */
const OUTSIDE = ["add_dir", "mount"] as const;
const LOG = [
  "cwd",
  "all",
  "conversation",
  "limit",
  "since",
  "until",
  "tool",
  "min_cost_usd",
  "rewarded",
  "outcome",
  "graph",
  "text",
] as const;
const SEARCH = [
  ...([
    "from",
    "strategy",
    "reward",
    "reward_format",
    "threshold",
    "concurrency",
    "max_cost_usd",
    "max_tokens",
    "max_responses",
  ] as const),
  ...(["fresh", "reuse", "n", "depth", "width", "iterations", "rollout", "seed", "feedback", "rounds"] as const),
];

export const MCP_TOOLS: readonly McpTool[] = [
  {
    name: "run",
    command: "run",
    description:
      "Run another coding agent on a prompt in a directory, and record the turn: its files, its session and its cost. " +
      "Give cwd a directory where no other recorded turn is running.",
    fields: [...AGENT, "max_responses", "max_cost_usd", "continue", "from"],
    opens: {
      allowRestore: ["undo_on_failure"],
      allowUnconfined: [...UNCONFINED, "record", "resume", "import"],
      allowOutside: [...OUTSIDE, "attach"],
    },
    budget: "max_cost_usd",
  },
  {
    name: "checkpoint",
    command: "checkpoint",
    needs: "allowRestore",
    description: "Name the current files of a workspace, to come back to with restore. Do it before something risky.",
    fields: ["name", "state", "cwd", "replace", "delete"],
  },
  {
    name: "explore",
    command: "explore",
    needs: "allowExplore",
    description:
      "Try one or several prompts with coding agents, each on its own branch, rate the results with commands, " +
      "and find the best. The workspace stays as it is unless adopt is true.",
    fields: [...AGENT, ...SEARCH],
    opens: {
      allowRestore: ["adopt"],
      allowUnconfined: UNCONFINED,
      allowOutside: [...OUTSIDE, "tasks", "attempts"],
    },
    budget: "max_cost_usd",
  },
  {
    name: "restore",
    command: "restore",
    needs: "allowRestore",
    description:
      "Restore the files of a workspace to a state or checkpoint. What was there is recorded first: way_back.",
    fields: ["state", "cwd", "dry_run"],
  },
  {
    name: "log",
    command: "log",
    description: "List the recorded turns of a workspace, newest first: prompts, outcomes, costs, files.",
    fields: LOG,
  },
  {
    name: "search",
    command: "log",
    required: ["text"],
    description: "Find recorded turns of a workspace by words in their prompts and responses.",
    fields: LOG,
  },
  {
    name: "show",
    command: "show",
    description: "Show everything about one recorded state: its turn, tools and files.",
    fields: ["state", "cwd"],
  },
  {
    name: "adopt",
    command: "adopt",
    needs: "allowRestore",
    description: "Bring a branch's final state into the workspace, with its conversation.",
    fields: ["state", "cwd", "dry_run"],
  },
  {
    name: "tree",
    command: "tree",
    description: "Give the tree of all recorded states of a workspace, with rewards.",
    fields: ["cwd", "format", "limit"],
  },
  {
    name: "search_sessions",
    command: "search",
    needs: "allowSessions",
    description: "Search the text of all Claude Code sessions on this machine: prompts, answers, tool calls.",
    fields: ["words", "project", "session", "role", "since", "until", "limit", "offset"],
  },
];

const allow = (description: string): z.ZodDefault<z.ZodBoolean> => z.boolean().default(false).meta({ description });

/** What a model may do with `skein mcp` beyond reading and isolated runs: each is a flag of the person who starts it. */
export const powerFlags = {
  allowRestore: allow("Let the model name states and restore files below the root: checkpoint, restore, adopt"),
  allowExplore: allow("Let the model explore: the reward commands it names run as you, outside any sandbox"),
  allowSessions: allow("Let the model search all Claude Code sessions on this machine"),
  allowUnconfined: allow(
    "Let the model run agents without isolation, in any permission mode, with your home and login",
  ),
  allowModules: allow("Let the model name scenario files; one in JavaScript runs inside Skein, as you"),
  allowOutside: allow("Let the model name directories and files outside the root"),
} as const;

type Power = keyof typeof powerFlags;

export type Powers = Readonly<Record<Power, boolean>>;

/** The bounds of a server: where its calls work, what they may do, and what is left to be spent. */
export interface McpBounds {
  readonly root: string;
  readonly powers: Powers;
  readonly confinement: Confinement;
  readonly maxCostUsd: number;
}

export interface LoadedTool extends Omit<McpTool, "command"> {
  readonly command: Command;
}

export async function loadTools({ commands }: CallContext, powers: Powers): Promise<readonly LoadedTool[]> {
  const known = MCP_TOOLS.filter(({ command }) => commands.list.some(({ name }) => name === command));
  const allowed = known.filter(({ needs }) => needs === undefined || powers[needs]);
  return await Promise.all(
    allowed.map(async (tool) => {
      const { opens = {} } = tool;
      const opened = (Object.keys(opens) as Power[]).filter((power) => powers[power]);
      const fields = [...tool.fields, ...opened.flatMap((power) => opens[power] ?? [])];
      return { ...tool, fields, command: await commands.load(tool.command) };
    }),
  );
}

/** A tool as the protocol lists it: what it takes and gives, and what it does to the world, is what its command says. */
export function describeMcpTool({ name, command, description, fields, required = [] }: LoadedTool): Tool {
  const input = inputSchema(command, { override: withoutFlagMeta });
  const properties = Object.entries(input.properties).filter(([field]) => fields.includes(field));
  const { changes, isRepeatable, reaches } = command.effects;
  return {
    name,
    description,
    inputSchema: {
      ...input,
      type: "object",
      properties: Object.fromEntries(properties),
      required: [...(input.required ?? []), ...required],
      additionalProperties: false,
    },
    outputSchema: { ...z.toJSONSchema(command.data), type: "object" } as Tool["outputSchema"],
    annotations: {
      title: command.summary,
      readOnlyHint: changes === "nothing",
      destructiveHint: changes === "replaces",
      idempotentHint: isRepeatable,
      openWorldHint: reaches === "world",
    },
  };
}

/** What is only about flags means nothing to a model. */
function withoutFlagMeta({ jsonSchema }: { readonly jsonSchema: Record<string, unknown> }): void {
  delete jsonSchema["label"];
  delete jsonSchema["preset"];
  delete jsonSchema["setting"];
}

/** What a model gave a tool, made fit for its command: closed fields are refused, and what was left out stays in the bounds. */
export function boundParams(
  tool: LoadedTool,
  given: Readonly<Record<string, unknown>>,
  { root, powers }: McpBounds,
): Readonly<Record<string, unknown>> {
  const closed = Object.keys(given).find((field) => !tool.fields.includes(field));
  if (closed !== undefined) throw closedField(tool, closed);
  const missing = tool.required?.find((field) => given[field] === undefined);
  if (missing !== undefined) throw usageError("mcp", `${missing} is missing`, { target: missing });
  const { offline, cwd } = given;
  if (typeof offline === "string" && !powers.allowModules && !Object.hasOwn(BUILT_IN_SCENARIOS, offline)) {
    throw notAllowed(`The scenario ${offline} is a file`, offline, "allowModules");
  }
  const { json_schema: schema } = given;
  if (typeof schema === "string" && !powers.allowOutside && !schema.trimStart().startsWith("{")) {
    throw notAllowed("json_schema is a path and no schema", "json_schema", "allowOutside");
  }
  if (!tool.fields.includes("cwd")) return given;
  return { ...given, cwd: typeof cwd === "string" ? resolve(root, cwd) : (cwd ?? root) };
}

/** A field that a flag would open is told with the flag; any other is a mistake. */
function closedField({ name, fields, opens = {} }: LoadedTool, field: string): SkeinError {
  const power = (Object.keys(opens) as Power[]).find((each) => opens[each]?.includes(field));
  if (power !== undefined) return notAllowed(`${name} does not take ${field} here`, field, power);
  return unknownField(name, field, fields);
}

function notAllowed(message: string, target: string, power: Power): SkeinError {
  return new SkeinError(`${message}: skein mcp was started without --${toWords(power)}`, {
    kind: "policy",
    target,
    hint: "Only whoever starts skein mcp can allow it",
  });
}
