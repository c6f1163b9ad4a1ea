import { ClaudeEngine, createResilientEngine, type Engine } from "../../engine/internal.ts";
import type { SetupFlags } from "./setup/setup-flags.ts";

type EngineDependencies = ConstructorParameters<typeof ClaudeEngine>[1];

/** Makes the engine of a command from its flags: the Claude Code CLI, which is tried again as often as the person wants. */
export function turnEngine({ retries }: Pick<SetupFlags, "retries">, dependencies: EngineDependencies = {}): Engine {
  const engine = new ClaudeEngine({}, dependencies);
  return retries === 0 ? engine : createResilientEngine(engine, { retry: { maxRetries: retries } });
}
