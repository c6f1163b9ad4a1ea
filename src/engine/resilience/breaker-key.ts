import type { ClaudeOptions } from "../options/claude-options.ts";
import type { Environment } from "../start-up/environment.ts";

const PROVIDERS = [
  ["CLAUDE_CODE_USE_BEDROCK", "bedrock"],
  ["CLAUDE_CODE_USE_VERTEX", "vertex"],
  ["CLAUDE_CODE_USE_FOUNDRY", "foundry"],
] as const;

/** Names what a turn depends on: the endpoint and the model. */
export function breakerKey(options: ClaudeOptions, environment: Environment): string {
  return `${endpointOf({ ...environment, ...options.env })} ${options.model ?? "default"}`;
}

/** Where an environment sends the CLI's requests: a base URL without anything secret, or a provider's name. */
export function endpointOf(environment: Environment): string {
  const provider = PROVIDERS.find(([variable]) => environment[variable]);
  if (provider) return provider[1];
  const baseUrl = environment["ANTHROPIC_BASE_URL"];
  if (!baseUrl) return "https://api.anthropic.com";
  // Names and passwords in an address are not for logs.
  return URL.canParse(baseUrl) ? new URL(baseUrl).origin + new URL(baseUrl).pathname.replace(/\/$/, "") : "unknown";
}
