import { relative, sep } from "node:path";
import { fileAccesses, resolvePath } from "../../engine/internal.ts";
import type { CallCheck } from "./refuse-calls.ts";

/** Folders and files from which programs of the host take commands to run. The sandbox keeps the same from commands. */
const PROTECTED = new Set(
  [
    ".git .vscode .idea .claude",
    ".bash_login .bash_logout .bash_profile .bashrc .profile .zlogin .zlogout .zprofile .zshenv .zshrc",
    ".envrc .gitconfig .gitmodules .mcp.json .ripgreprc skein.config.json",
  ].flatMap((names) => names.split(" ")),
);

/** Characters that some file systems pass over in a name. */
const IGNORED = /[\u200B-\u200F\u202A-\u202E\u2060-\u206F\uFEFF]/gu;

interface WritableFolders {
  /** As they are written and as they really are; names are read from here on, so that a folder may lie in a `.claude` itself. */
  readonly roots: readonly string[];
  /** What `~` stands for. */
  readonly home: string;
}

/** Refuses file tools what a program of the host would execute later: git's configuration and hooks, editors' tasks, shells' start-up files. */
export function refuseStartUpFiles({ roots, home }: WritableFolders): CallCheck {
  return async ({ tool, input, cwd }) => {
    for (const { access, path } of fileAccesses({ tool, input })) {
      if (access !== "write") continue;
      const { logical, real } = await resolvePath(path, { cwd, home });
      const names = [logical, ...real].map((target) => protectedName(target, roots));
      const name = names.find((found) => found !== undefined);
      if (name !== undefined)
        return `${name} is not for the agent to write: programs outside of the sandbox would execute it.`;
    }
    return undefined;
  };
}

function protectedName(path: string, roots: readonly string[]): string | undefined {
  const below = roots
    .map((root) => relative(root, path))
    .filter((rest) => rest !== ".." && !rest.startsWith(`..${sep}`))
    .toSorted((left, right) => left.length - right.length);
  const names = (below[0] ?? path).split(sep);
  return names.find((name) => PROTECTED.has(name.normalize("NFC").replace(IGNORED, "").toLowerCase()));
}
