import type { CallCheck, ToolCallRequest } from "./refuse-calls.ts";

/**
 * Refuses git worktrees: for them the CLI runs git itself, outside of the sandbox, with whatever configuration, hooks and remotes the
 * agent wrote into a repository. Refuses agents elsewhere for the same call.
 */
export const refuseWorktrees: CallCheck = ({ tool, input }) => {
  const isWorktree = tool === "EnterWorktree" || tool === "ExitWorktree";
  const isApart = (tool === "Agent" || tool === "Task") && input["isolation"] !== undefined;
  if (!isWorktree && !isApart) return undefined;
  return "Worktrees are not allowed: git would run outside the sandbox. Work in the directory as it is, or copy what you need.";
};

/** Refuses what would reach beyond this session and its end: messages to other sessions of the machine, and jobs that outlive it. */
export const refuseBeyondSession: CallCheck = ({ tool, input }) => {
  if (tool === "SendMessage" && !isToOwnAgent(input)) {
    return "Messages go to this session's own agents only, by name or id.";
  }
  if (tool === "CronCreate" && input["durable"] !== undefined && input["durable"] !== false) {
    return "A job must not outlive the session: leave `durable` out.";
  }
  return undefined;
};

/** An address with a scheme or a path names another session, a socket, or a machine. */
function isToOwnAgent({ to, recipient_kind: kind }: ToolCallRequest["input"]): boolean {
  return typeof to === "string" && /^[\w-]+$/u.test(to) && kind !== "session";
}
