import { keepSecrets, type ClaudeOptions } from "../../engine/index.ts";
import { closedStore, type ClosedStoreOptions } from "../../isolation/index.ts";
import type { CommandContext } from "../command-context.ts";

/** Whose secrets are kept from which agent. */
export interface TurnSecrets extends Pick<ClosedStoreOptions, "inBranches"> {
  readonly context: Pick<CommandContext, "env">;
  readonly cwd: string;
  /** What tools may see all the same. */
  readonly reveal: readonly string[];
}

/** The options of a turn, under which tools see no credentials, no well-known secret places and nothing of Skein's records. */
export async function keepTurnSecrets(
  options: ClaudeOptions,
  { context, cwd, reveal, ...where }: TurnSecrets,
): Promise<ClaudeOptions> {
  return await keepSecrets(options, { hostEnv: context.env, closed: await closedStore(cwd, where), reveal });
}
