import { defined } from "../core/internal.ts";
import {
  type ClaudeOptions,
  createResilience,
  type Engine,
  engineSettingsKey,
  hashSettings,
  type Resilience,
  type ResiliencePolicy,
  withPlugins,
} from "../engine/internal.ts";
import { configuredValues, type Configuration } from "./load-config.ts";
import { loadPlugins } from "./load-plugins.ts";

/** The options of a turn that a configuration stands for: model, permissions and budget. What it does not say is left out. */
export function configOptions(configuration: Configuration): ClaudeOptions {
  const { model, fallbackModel, permissions = {}, budget = {} } = configuredValues(configuration);
  const { timeoutSeconds, idleTimeoutSeconds, ...limits } = budget;
  const { mode: permissionMode, ...tools } = permissions;
  const timeouts = { timeoutMs: inMs(timeoutSeconds), idleTimeoutMs: inMs(idleTimeoutSeconds) };
  return defined({ model, fallbackModel, permissionMode, ...tools, ...limits, ...timeouts });
}

function inMs(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : Math.ceil(seconds * 1000);
}

/** How often turns are to be tried again; a flag's number comes before the configured one. Nothing where no part of a policy is on. */
export function configuredPolicy(
  configuration: Configuration | undefined,
  maxRetries?: number,
): ResiliencePolicy | undefined {
  const { retry, breaker, bulkhead } = (configuration && configuredValues(configuration).resilience) ?? {};
  const retries = maxRetries ?? retry?.maxRetries ?? 0;
  if (retries === 0 && !breaker && !bulkhead) return undefined;
  return {
    retry: { ...retry, maxRetries: retries },
    // A part that nobody named is off.
    breaker: breaker ?? { maxFailures: Number.MAX_SAFE_INTEGER },
    ...defined({ bulkhead }),
  };
}

/** How a configuration is laid over an engine. */
export interface ConfigureEngineOptions {
  /** The resilience that other engines have a part in, too; one of its own, as configured, by default. */
  readonly resilience?: Resilience | undefined;
}

/** An engine with what a configuration says of resilience and plugins. Loads the plugins' modules; fails with `config` where one cannot be used. */
export async function configureEngine(
  engine: Engine,
  configuration: Configuration,
  options: ConfigureEngineOptions = {},
): Promise<Engine> {
  const plugins = await loadPlugins(configuration.plugins);
  const policy = configuredPolicy(configuration);
  const resilience = options.resilience ?? (policy && createResilience(policy));
  const resilient = resilience?.wrap(engine) ?? engine;
  if (plugins.length === 0) return resilient;
  const said = configuration.plugins.map(({ module, options: given, trustedHash }) => [module, given, trustedHash]);
  return {
    ...withPlugins(resilient, plugins),
    // The same plugins, as they are configured, mean the same in every process.
    settingsKey: (turn) => hashSettings([engineSettingsKey(resilient, turn), said]),
  };
}
