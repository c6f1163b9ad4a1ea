import type { ClaudeOptions } from "../engine/internal.ts";
import { refuseBeyondSession, refuseWorktrees } from "./calls/beyond-session.ts";
import { mergeHooks, refuseCalls } from "./calls/refuse-calls.ts";
import { closedStore, type ClosedStoreOptions } from "./secrets/closed-store.ts";
import { keepSecrets, type KeepSecretsOptions } from "./secrets/keep-secrets.ts";

/** Where a confined turn works, and what it may do all the same. */
export interface ConfineTurnOptions
  extends Pick<ClosedStoreOptions, "inBranches">, Pick<KeepSecretsOptions, "hostEnv" | "reveal"> {
  readonly cwd: string;
  /** Whether the agent may make git worktrees, for which git runs outside of the sandbox; false by default. */
  readonly allowWorktrees?: boolean;
}

/**
 * Options under which an agent works among the user's own files, as `skein run` has it: tools see no credentials, no well-known secret
 * places and nothing of Skein's records, and nothing reaches beyond the session. `isolate` goes further.
 */
export async function confineTurn(options: ClaudeOptions, confine: ConfineTurnOptions): Promise<ClaudeOptions> {
  const { cwd, allowWorktrees = false, inBranches = false, ...secrets } = confine;
  const checks = allowWorktrees ? [refuseBeyondSession] : [refuseWorktrees, refuseBeyondSession];
  const closed = await closedStore(cwd, { inBranches });
  return await keepSecrets(
    { ...options, hooks: mergeHooks(refuseCalls(checks), options.hooks) },
    { ...secrets, closed },
  );
}
