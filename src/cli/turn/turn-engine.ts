import { configuredPolicy, configuredValues, configureEngine } from "../../config/internal.ts";
import { defined } from "../../core/internal.ts";
import {
  ClaudeEngine,
  type ClaudeOptions,
  createResilience,
  type Engine,
  type Resilience,
  type ResiliencePolicy,
} from "../../engine/internal.ts";
import { trustedEngine } from "../../isolation/internal.ts";
import { withTelemetry } from "../../monitor/internal.ts";
import type { CommandContext } from "../define-command.ts";
import type { AgentSetup } from "./setup/read-setup.ts";
import type { SetupFlags } from "./setup/setup-flags.ts";

type Dependencies = NonNullable<ConstructorParameters<typeof ClaudeEngine>[1]>;

interface EngineParts extends Pick<Dependencies, "processes"> {
  readonly setup: Pick<AgentSetup, "settings">;
}

/**
 * Makes the engine of a command: the Claude Code CLI, which is tried again as often as the person wants, with the breaker, the bulkhead and
 * the plugins that are configured. A plugin that cannot be used is told here. Turns are told to OpenTelemetry, where this process has it.
 */
export async function turnEngine(
  { retries }: Pick<SetupFlags, "retries">,
  context: CommandContext,
  { setup, ...dependencies }: EngineParts,
): Promise<Engine> {
  const { configuration } = context;
  const bare = new ClaudeEngine({}, dependencies);
  // Inside, so that every attempt looks at what the CLI is about to load.
  const engine = setup.settings ? trustedEngine(bare, setup.settings, { hostEnv: context.env }) : bare;
  const policy = configuredPolicy(configuration, retries);
  const resilience = policy && sharedResilience(policy, context);
  if (!configuration) return withTelemetry(resilience?.wrap(engine) ?? engine);
  const configured = await configureEngine(engine, configuration, { resilience });
  return withTelemetry(configured, { ...defined(configuredValues(configuration).telemetry ?? {}), env: context.env });
}

/** What the calls of one process share, by its table of commands: `skein rpc` and `skein mcp` run many. */
const shared = new WeakMap<CommandContext["commands"], Map<string, Resilience>>();

function sharedResilience(policy: ResiliencePolicy, { commands }: CommandContext): Resilience {
  const known = shared.get(commands) ?? new Map<string, Resilience>();
  shared.set(commands, known);
  const { retry, ...apart } = policy;
  // A call with other retries meets the same breaker and bulkhead.
  const key = JSON.stringify(apart);
  const resilience = known.get(key) ?? createResilience(policy);
  known.set(key, resilience);
  return { wrap: (engine) => resilience.wrap(engine, retry) };
}

/** The configured limits of each turn, for commands whose flags limit all turns together. */
export function configuredLimits({ configuration }: Pick<CommandContext, "configuration">): ClaudeOptions {
  const { budget = {} } = configuration ? configuredValues(configuration) : {};
  const { maxResponses, maxConversationCostUsd, idleTimeoutSeconds } = budget;
  const idleTimeoutMs = idleTimeoutSeconds === undefined ? undefined : Math.ceil(idleTimeoutSeconds * 1000);
  return defined({ maxResponses, maxConversationCostUsd, idleTimeoutMs });
}
