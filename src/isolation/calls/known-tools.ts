import type { CallCheck } from "./refuse-calls.ts";

/**
 * Tools that an isolated agent may call, by name. Each of them runs its commands in the sandbox, stays in the session, or is held by a
 * check or a setting of the isolation. What is in neither list came with a newer CLI, and is refused until it was looked at.
 */
const ALLOWED = new Set(
  [
    // Commands, in the sandbox.
    "Bash BashOutput KillShell Monitor TaskOutput TaskStop",
    // Files, held to the working directories by settings, and kept from start-up files.
    "Edit Glob Grep LS MultiEdit NotebookEdit NotebookRead Read Write",
    // The network, held to the policy.
    "WebFetch WebSearch",
    // Agents of this session, under the same hooks.
    "Agent ListAgents SendMessage Task",
    // The session itself.
    "AskUserQuestion CronList EnterPlanMode ExitPlanMode ReportFindings ScheduleWakeup Skill StructuredOutput",
    "TaskCreate TaskGet TaskList TaskUpdate TodoWrite ToolSearch",
    // The caller's own MCP servers.
    "ListMcpResourcesTool ReadMcpResourceDirTool ReadMcpResourceTool RefreshMcpTools WaitForMcpServers",
  ].flatMap((names) => names.split(" ")),
);

/** Tools that an isolated agent is not offered, and why. */
const REFUSED: Readonly<Record<string, string>> = {
  CronCreate: "an isolated session leaves no jobs behind",
  CronDelete: "an isolated session leaves no jobs behind",
  EnterWorktree: "git would run outside the sandbox",
  ExitWorktree: "git would run outside the sandbox",
  Workflow: "its script would run outside the sandbox",
};

/** The tools that are known and refused, for not offering them. */
export const REFUSED_TOOLS = Object.keys(REFUSED);

/** What is done with a tool of the CLI in isolation; nothing is known of one that a newer CLI brings. */
export function stanceOn(tool: string): "allowed" | "refused" | undefined {
  // Servers are the caller's: an isolation starts none of the folder's own.
  if (ALLOWED.has(tool) || tool.startsWith("mcp__")) return "allowed";
  return Object.hasOwn(REFUSED, tool) ? "refused" : undefined;
}

/** Refuses tools that are not known to be held. */
export const refuseUnknownTools: CallCheck = ({ tool }) => {
  const stance = stanceOn(tool);
  if (stance === "allowed") return undefined;
  const reason = stance === "refused" ? REFUSED[tool] : "nobody has checked yet what it does outside the sandbox";
  return `${tool} is not available in isolation: ${reason}.`;
};
