import { z } from "zod";
import { toWords } from "../command/describe-command.ts";
import type { Confinement } from "../command/confinement.ts";

/** A command as a tool for agents and editors. What is not listed here, a model cannot call or give. */
export interface McpTool {
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

const AGENT = ["prompt", "cwd", "model", "offline", "disallowed_tools", "timeout"] as const;
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
  ] as const),
  ...(["fresh", "n", "depth", "width", "iterations", "rollout", "seed", "feedback", "rounds"] as const),
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
      allowUnconfined: ["permission_mode", "allowed_tools", "record", "resume", "import"],
      allowOutside: ["attach"],
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
      allowUnconfined: ["permission_mode", "allowed_tools"],
      allowOutside: ["tasks", "attempts"],
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

export type Power = keyof typeof powerFlags;

export type Powers = Readonly<Record<Power, boolean>>;

/** The flag by which a power is given: `--allow-explore`. */
export function powerFlag(power: Power): string {
  return `--${toWords(power)}`;
}

/** The bounds of a server: where its calls work, what they may do, and what is left to be spent. */
export interface McpBounds {
  readonly root: string;
  readonly powers: Powers;
  readonly confinement: Confinement;
  readonly maxCostUsd: number;
}
