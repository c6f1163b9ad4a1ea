import { commandOf } from "./command-of.ts";
import { DANGEROUS_COMMANDS, type DangerousCommand } from "./dangerous-commands.ts";
import { PASS, type PermissionPolicy } from "./permission-policy.ts";
import { listProgramCalls } from "./shell/program-calls.ts";

/**
 * Denies commands that wreck a machine, a home or a repository. A guard against accidents and no security boundary: a
 * script, another language or a variable gets past it. What must not happen is for the sandbox to prevent.
 */
export function dangerousCommandGuard(dangers: readonly DangerousCommand[] = DANGEROUS_COMMANDS): PermissionPolicy {
  return (request) => {
    const command = commandOf(request);
    if (command === undefined) return PASS;
    if (FORK_BOMB.test(command)) return denial(request.tool, "it starts processes endlessly");
    const { calls } = listProgramCalls(command);
    const danger = dangers.find(({ matches }) => calls.some((call) => matches(call, calls)));
    return danger ? denial(request.tool, danger.reason) : PASS;
  };
}

/** A function that pipes itself into itself. */
const FORK_BOMB = /(?<![\w:.])(?<name>[\w:.]+)\s*\(\s*\)\s*\{\s*\k<name>\s*\|\s*\k<name>\s*&/;

function denial(tool: string, reason: string): { readonly type: "deny"; readonly message: string } {
  return { type: "deny", message: `${tool} was denied: this command is dangerous, ${reason}. Find a narrower way.` };
}
