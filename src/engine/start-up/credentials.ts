import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { ClaudeAuthError } from "../../core/internal.ts";
import type { EnvVariables } from "../processes/env-variables.ts";

/** Where credentials come from. Their values are never read. */
export type CredentialKind = "api-key" | "auth-token" | "oauth-token" | "bedrock" | "vertex" | "foundry" | "cli-login";

/** Other ways to the API, by the variables that choose them. */
export const PROVIDERS: readonly (readonly [variable: string, kind: CredentialKind])[] = [
  ["CLAUDE_CODE_USE_BEDROCK", "bedrock"],
  ["CLAUDE_CODE_USE_VERTEX", "vertex"],
  ["CLAUDE_CODE_USE_FOUNDRY", "foundry"],
];

const VARIABLES: typeof PROVIDERS = [
  ["ANTHROPIC_API_KEY", "api-key"],
  ["ANTHROPIC_AUTH_TOKEN", "auth-token"],
  ["CLAUDE_CODE_OAUTH_TOKEN", "oauth-token"],
  ...PROVIDERS,
];

/** Tells which credentials an environment offers the CLI: variables, then the CLI's own login. */
export async function detectCredentials(env: EnvVariables = process.env): Promise<readonly CredentialKind[]> {
  const named = VARIABLES.filter(([variable]) => env[variable]).map(([, kind]) => kind);
  return hasLogin(env) ? [...named, "cli-login"] : named;
}

/** Fails where there are no credentials, before anything is started. `host` is where the person may be logged in all the same. */
export async function requireCredentials(env: EnvVariables, host: EnvVariables = process.env): Promise<void> {
  if ((await detectCredentials(env)).length > 0) return;
  if (hasLogin(host)) throw loginOutOfSight();
  throw new ClaudeAuthError("No credentials for Claude were found", {
    hint: "Set ANTHROPIC_API_KEY, or log in once with the `claude` command, or run with the offline model: `offline`.",
  });
}

/** A login lies in the home, and it can do more than ask the model: Skein neither reads it nor hands it on. */
function loginOutOfSight(): ClaudeAuthError {
  const message = "You are logged in with `claude`, but this agent has its own home and does not see your login";
  return new ClaudeAuthError(message, {
    target: "cli-login",
    hint:
      "Pass a token instead: `claude setup-token` makes one; set CLAUDE_CODE_OAUTH_TOKEN to it, or give the isolation " +
      "`oauthToken`. ANTHROPIC_API_KEY or `apiKey` works too.",
  });
}

function hasLogin(env: EnvVariables): boolean {
  const home = env["HOME"] ?? homedir();
  const folder = env["CLAUDE_CONFIG_DIR"] ?? join(home, ".claude");
  // On macOS the login itself is in the keychain; the account file is what shows that there was one.
  const trace = process.platform === "darwin" ? join(home, ".claude.json") : join(folder, ".credentials.json");
  return existsSync(trace);
}
