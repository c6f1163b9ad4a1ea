/** The key of the one server that all tools of a prompt are behind. */
export const SERVER_KEY = "skein";

const PREFIX = `mcp__${SERVER_KEY}__`;

/** The name that the model calls a tool of the prompt by. */
export function bridgedName(tool: string): string {
  return `${PREFIX}${tool}`;
}

/** A tool's own name, and whether it is one of the prompt's. */
export function ownName(called: string): { readonly tool: string; readonly isBridged: boolean } {
  const isBridged = called.startsWith(PREFIX);
  return { tool: isBridged ? called.slice(PREFIX.length) : called, isBridged };
}
