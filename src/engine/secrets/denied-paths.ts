import type { SandboxSettings } from "@anthropic-ai/claude-agent-sdk";

/** Rules that keep the CLI's file tools from paths and from all below them, in every permission mode, by links neither. */
export function fileToolDenials(paths: readonly string[]): string[] {
  // One slash more says that the path begins at the root.
  return paths.flatMap((path) => [`Read(/${path})`, `Read(/${path}/**)`, `Edit(/${path})`, `Edit(/${path}/**)`]);
}

/** The sandbox's setting by which commands do not see variables. */
export function variableDenials(names: readonly string[]): Pick<SandboxSettings, "credentials"> {
  if (names.length === 0) return {};
  return { credentials: { envVars: names.map((name) => ({ name, mode: "deny" as const })) } };
}
