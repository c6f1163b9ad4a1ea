import type { CallCheck, ToolCallRequest } from "./refuse-calls.ts";

/**
 * Refuses git worktrees: for them the CLI runs git itself, outside of the sandbox, with whatever configuration, hooks and remotes the
 * agent wrote into a repository. Refuses agents elsewhere for the same call.
 */
export const refuseWorktrees: CallCheck = ({ tool, input }) => {
  const isWorktree = tool === "EnterWorktree" || tool === "ExitWorktree";
  const isApart = isAgent(tool) && input["isolation"] !== undefined;
  if (!isWorktree && !isApart) return undefined;
  return "Worktrees are not allowed: git would run outside the sandbox. Work in the directory as it is, or copy what you need.";
};

/** Refuses what would reach beyond this session and its end: messages to other sessions of the machine, and jobs that outlive it. */
export const refuseBeyondSession: CallCheck = (call) => {
  if (call.tool === "SendMessage" && !isToOwnAgent(call)) {
    return "Messages go to this session's own agents only, by name or id.";
  }
  if (call.tool === "CronCreate" && call.input["durable"] !== undefined && call.input["durable"] !== false) {
    return "A job must not outlive the session: leave `durable` out.";
  }
  return undefined;
};

/** Whether a tool is the one that starts subagents, by its present or its former name. */
function isAgent(tool: string): boolean {
  return tool === "Agent" || tool === "Task";
}

/** An address with a scheme or a path names another session, a socket, or a machine. */
function isToOwnAgent({ input }: ToolCallRequest): boolean {
  return typeof input["to"] === "string" && /^[\w-]+$/u.test(input["to"]) && input["recipient_kind"] !== "session";
}
