export type Variables = Readonly<Record<string, string | undefined>>;

/** Credentials for the API: the CLI needs one of them, its tools none. */
export const API_CREDENTIALS: readonly string[] = [
  "ANTHROPIC_API_KEY",
  "ANTHROPIC_AUTH_TOKEN",
  "CLAUDE_CODE_OAUTH_TOKEN",
  "ANTHROPIC_CUSTOM_HEADERS",
];

/** Other ways to the API, each with the beginnings of what it needs. */
export const API_PROVIDERS: Readonly<Record<string, readonly string[]>> = {
  CLAUDE_CODE_USE_BEDROCK: ["AWS_", "ANTHROPIC_BEDROCK_"],
  CLAUDE_CODE_USE_VERTEX: ["GOOGLE_", "CLOUD_ML_", "VERTEX_", "ANTHROPIC_VERTEX_"],
  CLAUDE_CODE_USE_FOUNDRY: ["AZURE_", "ANTHROPIC_FOUNDRY_"],
};

export function isProviderVariable(name: string): boolean {
  return Object.values(API_PROVIDERS).some((prefixes) => prefixes.some((prefix) => name.startsWith(prefix)));
}

/** The ways that an environment has chosen, and the variables in it that they need. */
export function providerVariables(env: Variables): readonly string[] {
  const chosen = Object.keys(API_PROVIDERS).filter((name) => env[name] && env[name] !== "0");
  const prefixes = chosen.flatMap((name) => API_PROVIDERS[name] ?? []);
  return [...chosen, ...Object.keys(env).filter((name) => prefixes.some((prefix) => name.startsWith(prefix)))];
}
