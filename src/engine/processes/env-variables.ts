import { defined, isProviderVariable, isSecretName, providerVariables } from "../../core/internal.ts";

/** Variables that the CLI inherits. Everything else stays out unless the caller adds it. */
const ALLOWED = new Set(
  [
    "PATH HOME USER LOGNAME SHELL LANG LANGUAGE TZ TERM TMPDIR TMP TEMP",
    "SSL_CERT_FILE SSL_CERT_DIR NODE_EXTRA_CA_CERTS HTTP_PROXY HTTPS_PROXY NO_PROXY http_proxy https_proxy no_proxy",
    "IS_SANDBOX CLAUDE_CONFIG_DIR CLAUDE_CODE_OAUTH_TOKEN CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC CLAUDE_CODE_MAX_RETRIES",
    "SystemRoot ComSpec PATHEXT APPDATA LOCALAPPDATA USERPROFILE",
  ].flatMap((names) => names.split(" ")),
);

const ALLOWED_PREFIX =
  /^(?:LC_|XDG_|ANTHROPIC_|CLAUDE_CODE_USE_|CLAUDE_CODE_SKIP_|AWS_|GOOGLE_|CLOUD_ML_|VERTEX_|AZURE_)/;

export type EnvVariables = Readonly<Record<string, string | undefined>>;

/**
 * Set unless the caller says otherwise. Notes that the CLI keeps by itself would pass from one run into the next; why it does not start, it
 * tells in a field of its result only where it is asked to.
 */
const DEFAULTS = { CLAUDE_CODE_DISABLE_AUTO_MEMORY: "1", CLAUDE_CODE_STARTUP_FAILURE_RESULTS: "1" };

/** The environment that the CLI is given: the allowed part of the host's, plus what the caller adds or takes away. */
export function buildEnv(host: EnvVariables, added: EnvVariables = {}): Record<string, string> {
  const needed = new Set(providerVariables(host));
  // Keys of a provider that is not used for the API would only be there for tools to find.
  const isIdle = (name: string): boolean => isProviderVariable(name) && isSecretName(name) && !needed.has(name);
  const allowed = Object.entries(host).filter(
    ([name]) => ALLOWED.has(name) || (ALLOWED_PREFIX.test(name) && !isIdle(name)),
  );
  return defined<EnvVariables>({ ...DEFAULTS, ...Object.fromEntries(allowed), ...added }) as Record<string, string>;
}

/** What the agent's own process is given to reach its model. */
const CREDENTIALS = /^(?:ANTHROPIC|CLAUDE|AWS|GOOGLE|CLOUD_ML|VERTEX|AZURE)_/;

/**
 * The variables that a command beside an agent gets: of the host's what an agent gets too, without the keys, and what the caller adds.
 * It runs what the agent wrote, which has no business with them.
 */
export function commandEnv(host: EnvVariables, added: EnvVariables): EnvVariables {
  const plain = Object.entries(buildEnv(host)).filter(([name]) => !CREDENTIALS.test(name));
  return { ...Object.fromEntries(plain), ...added };
}
