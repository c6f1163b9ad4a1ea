import { SkeinError } from "../core/internal.ts";
import type { ClaudeOptions } from "../engine/internal.ts";
import { confineTurn, type ConfineTurnOptions } from "./confine-turn.ts";
import { turnBounds } from "./sandbox/turn-bounds.ts";

/** Where an agent with the command's defaults works, and what of them is changed. */
interface SafeOptionsRequest extends ConfineTurnOptions {
  /** Options that are added or that replace a default; every permission mode but `bypassPermissions`. */
  readonly options?: ClaudeOptions;
}

/**
 * The defaults of `skein run`, for a `ClaudeEngine`: edits below the directory and commands in the sandbox without network need no
 * permission; secrets, Skein's records and git worktrees are closed. Whatever else is wanted is denied, unless `options.canUseTool`
 * answers. Without a sandbox on the machine, that holds for every command.
 */
export async function safeOptions({ options = {}, ...confine }: SafeOptionsRequest): Promise<ClaudeOptions> {
  const { permissionMode = "acceptEdits" } = options;
  if (permissionMode === "bypassPermissions") {
    throw new SkeinError("safeOptions asks for permissions, and bypassPermissions asks for none", {
      kind: "usage",
      target: "options.permissionMode",
      hint: "Leave `permissionMode` out, or use confineTurn(), which keeps only secrets and what reaches beyond the session",
    });
  }
  const { options: bounds } = await turnBounds(permissionMode, { path: (confine.hostEnv ?? process.env)["PATH"] });
  const disallowedTools = [...(bounds.disallowedTools ?? []), ...(options.disallowedTools ?? [])];
  return await confineTurn({ ...bounds, cwd: confine.cwd, ...options, disallowedTools }, confine);
}
