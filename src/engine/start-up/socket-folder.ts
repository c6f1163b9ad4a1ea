import { ClaudeConfigError } from "../../core/internal.ts";
import type { ClaudeOptions } from "../options/claude-options.ts";
import type { EnvVariables } from "../processes/env-variables.ts";

/** The kernel takes 107 bytes for a socket's address, of which the CLI's own names for its sockets are 35. */
const LONGEST_FOLDER = 107 - 35;

/**
 * On Linux the sandbox opens sockets in the CLI's temporary folder, and below a long one it cannot: every command would fail. A folder that
 * the host's environment gives is left for a short one; one that somebody named for the turn is theirs to mend.
 */
export function shortSocketFolder(
  { sandbox, env = {} }: Pick<ClaudeOptions, "sandbox" | "env">,
  { TMPDIR: folder = "" }: EnvVariables,
  platform: NodeJS.Platform = process.platform,
): { readonly TMPDIR?: string } {
  const fits = Buffer.byteLength(folder) <= LONGEST_FOLDER;
  if (platform !== "linux" || sandbox?.enabled !== true || fits) return {};
  if (env["TMPDIR"] === undefined) return { TMPDIR: "/tmp" };
  throw new ClaudeConfigError(`The sandbox cannot open its sockets in ${folder}: the path is too long`, {
    option: "env",
    target: "TMPDIR",
    hint: "Set TMPDIR to a short folder, such as /tmp.",
  });
}
