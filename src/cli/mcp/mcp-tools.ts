/** A command as a tool for agents and editors. */
export interface McpTool {
  readonly name: string;
  /** The command that does it. */
  readonly command: string;
  /** Fields that the command can do without and the tool cannot. */
  readonly needs?: readonly string[];
  /** When a model should use it. */
  readonly description: string;
  /** Changes nothing at all. */
  readonly isReadOnly?: boolean;
  /** Replaces files of the workspace, with a way back. */
  readonly replacesFiles?: boolean;
}

/** The tools, in the order in which they are listed. */
export const MCP_TOOLS: readonly McpTool[] = [
  {
    name: "run",
    command: "run",
    description:
      "Run another coding agent on a prompt in a directory, and record the turn: its files, its session and its cost. " +
      "Give cwd a directory in which no other recorded turn runs.",
  },
  {
    name: "checkpoint",
    command: "checkpoint",
    description:
      "Give the present files of a workspace a name, to come back to with restore. Do it before something risky.",
  },
  {
    name: "explore",
    command: "explore",
    description:
      "Try one or several prompts with coding agents, each on a branch of its own, rate what they come to with commands, " +
      "and find the best. The workspace stays as it is unless adopt is true.",
  },
  {
    name: "restore",
    command: "restore",
    description:
      "Put the files of a workspace back to a state or checkpoint. What was there is recorded first: way_back.",
    replacesFiles: true,
  },
  {
    name: "log",
    command: "log",
    description: "List the recorded turns of a workspace, newest first: prompts, outcomes, costs, files.",
    isReadOnly: true,
  },
  {
    name: "search",
    command: "log",
    needs: ["text"],
    description: "Find recorded turns of a workspace by words in their prompts and responses.",
    isReadOnly: true,
  },
  {
    name: "show",
    command: "show",
    description: "Show everything of one recorded state: its turn, tools and files.",
    isReadOnly: true,
  },
  {
    name: "adopt",
    command: "adopt",
    description: "Bring the state that a branch came to into the workspace, with its conversation.",
    replacesFiles: true,
  },
  {
    name: "tree",
    command: "tree",
    description: "Give the tree of all recorded states of a workspace, with rewards.",
    isReadOnly: true,
  },
  {
    name: "search_sessions",
    command: "search",
    description: "Find words in all of Claude Code's own sessions on this machine: prompts, answers, tool calls.",
    isReadOnly: true,
  },
];
