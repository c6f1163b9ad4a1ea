import {
  API_CREDENTIALS,
  API_PROVIDERS,
  defined,
  isProviderVariable,
  providerVariables,
  secretVariables,
} from "../../core/internal.ts";
import type { EnvVariables } from "../../engine/internal.ts";
import type { IsolationConfig } from "../isolation-config.ts";
import type { PrivateHome } from "./private-home.ts";

/** What every process may know of the host. */
const BASIC = ["PATH", "LANG", "LANGUAGE", "TZ", "TERM", "SHELL", "USER", "LOGNAME", "IS_SANDBOX"];

/** What the CLI needs to reach the API through the host's network. */
const NETWORK = ["SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"];

/** Where the API is. */
const ENDPOINT = ["ANTHROPIC_BASE_URL", "ANTHROPIC_MODEL", "ANTHROPIC_SMALL_FAST_MODEL"];

/** Variables of whole families that say who somebody is or where their things are. */
const PERSONAL_PREFIXES = ["CLAUDE_", "ANTHROPIC_", "AWS_", "GOOGLE_", "AZURE_", "OPENAI_", "SKEIN_", "XDG_", "npm_"];
/** Beside what is a secret: what may lead to one, such as sockets of agents and addresses, and names that only look like one. */
const LEADING_TO_SECRETS = /KEY|TOKEN|SECRET|PASS|CRED|AUTH|COOKIE|SESSION|SOCK|_URL$|_URI$|DSN|HOOK|CONNECT/iu;

/**
 * Builds the environment by an allow list; what comes later wins: the host's harmless variables if asked for, those that every
 * process may know, the credentials, `given` (the caller's options), the isolation's own `env`, the private home. The host's variables
 * stand in it as undefined, so that what is not listed is taken away. `secrets` names what commands must not see.
 */
export function isolatedEnvironment(
  { env, includeHostEnv, ...config }: Pick<IsolationConfig, "apiKey" | "oauthToken" | "env" | "includeHostEnv">,
  {
    home,
    host,
    given = {},
  }: { readonly home: PrivateHome; readonly host: EnvVariables; readonly given?: EnvVariables },
): { readonly env: EnvVariables; readonly secrets: readonly string[] } {
  const own = ownAuth(config);
  const auth = pick(host, own ? ENDPOINT : [...API_CREDENTIALS, ...ENDPOINT, ...providerVariables(host)]);
  const merged: Record<string, string | undefined> = {
    ...Object.fromEntries(Object.keys(host).map((name) => [name, undefined])),
    ...(includeHostEnv ? harmless(host) : {}),
    ...pick(host, [...BASIC, ...NETWORK, ...NETWORK.map((name) => name.toLowerCase())]),
    ...pick(
      host,
      Object.keys(host).filter((name) => name.startsWith("LC_")),
    ),
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_AUTOUPDATER: "1",
    ...auth,
    ...given,
    ...own,
    ...env,
    ...home.variables,
  };
  // Whoever reads one of these can use the account.
  const provided = Object.keys(defined(merged)).filter(
    (name) => isProviderVariable(name) && !/REGION|PROJECT|LOCATION/u.test(name),
  );
  // An engine may have credentials of its own: whether or not they are in here, commands do not see them.
  return { env: merged, secrets: [...API_CREDENTIALS, ...provided] };
}

/** A key or a token that is given is the only way to the API: nothing of the caller's options or of the engine's stands beside it. */
function ownAuth({ apiKey, oauthToken }: Pick<IsolationConfig, "apiKey" | "oauthToken">): EnvVariables | undefined {
  if (apiKey === undefined && oauthToken === undefined) return undefined;
  const others = [...API_CREDENTIALS, ...Object.keys(API_PROVIDERS)].map((name) => [name, undefined]);
  return { ...Object.fromEntries(others), ANTHROPIC_API_KEY: apiKey, CLAUDE_CODE_OAUTH_TOKEN: oauthToken };
}

function harmless(host: EnvVariables): EnvVariables {
  const secret = new Set(secretVariables(host));
  const isHarmless = (name: string): boolean =>
    !secret.has(name) && !PERSONAL_PREFIXES.some((prefix) => name.startsWith(prefix)) && !LEADING_TO_SECRETS.test(name);
  return pick(host, Object.keys(host).filter(isHarmless));
}

function pick(variables: EnvVariables, names: readonly string[]): EnvVariables {
  return defined(Object.fromEntries(names.map((name) => [name, variables[name]])));
}
