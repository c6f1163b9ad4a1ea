import { realpath } from "node:fs/promises";
import { relative, sep } from "node:path";
import { SkeinError, isInside } from "../../core/internal.ts";

/** The bounds of a command that a model calls. People at a command line have none. */
export interface Confinement {
  /** The real path of the folder outside of which nothing is worked on. */
  readonly root?: string;
  /** Whether agents are run in isolation: a sandbox, a home of their own, no network. */
  readonly isolates: boolean;
}

/**
 * Gives a directory's real path, which has to lie inside the bounds, links followed. Hidden folders are out of bounds: an agent that
 * works in `.git` or `.claude` itself could write what is later run outside of its sandbox.
 */
export async function confine(directory: string, confinement: Confinement | undefined): Promise<string> {
  const root = confinement?.root;
  if (root === undefined) return directory;
  const real = await realpath(directory);
  const isHidden = relative(root, real)
    .split(sep)
    .some((name) => name.startsWith(".") && name !== "..");
  if (isInside(real, root) && !isHidden) return real;
  const where = isHidden ? `in a hidden folder of ${root}` : `outside ${root}, where everything has to stay`;
  throw new SkeinError(`${directory} is ${where}`, {
    kind: "policy",
    target: directory,
    hint: "Whoever starts the server can name another folder with skein mcp --root, or allow all with skein mcp --allow-outside",
  });
}
