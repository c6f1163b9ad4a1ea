import { chmod, realpath, writeFile } from "node:fs/promises";
import { delimiter, isAbsolute, join } from "node:path";
import { isInside, SkeinError } from "../../core/internal.ts";
import type { PrivateHome } from "./private-home.ts";

/** Programs that take commands from files of the folder that they run in, or from a home. The CLI runs them outside of the sandbox. */
const REFUSED = ["git", "npm", "gh"];

/**
 * Gives the CLI another environment than the agent's commands, so that nothing of what it runs outside of the sandbox comes from a
 * place that the agent can write: its home is closed, `git` refuses, and the path leads to no folder of the agent's. Commands get the
 * agent's home and the whole path back by a script that the CLI puts before each of them. Gives the variables of the CLI.
 */
export async function splitEnvironment(
  home: PrivateHome,
  { path, writable }: { readonly path: string; readonly writable: readonly string[] },
): Promise<Readonly<Record<string, string>>> {
  refuseHomeIn(writable, home);
  for (const name of REFUSED) {
    const program = join(home.programs, name);
    // The CLI takes this for a folder without a repository.
    await writeFile(program, `#!/bin/sh\necho 'fatal: ${name} does not run outside the sandbox' >&2\nexit 128\n`);
    await chmod(program, 0o700);
  }
  const script = join(home.root, "commands.sh");
  await writeFile(script, `export HOME=${quote(home.home)}\nexport PATH=${quote(path)}\n`, { mode: 0o600 });
  const own = [home.programs, ...(await closedFolders(path, [home.home, ...writable]))];
  return { PATH: own.join(delimiter), CLAUDE_ENV_FILE: script };
}

/** Whoever can write the folder that a private home lies in can move it away and put another in its place. */
function refuseHomeIn(writable: readonly string[], { root }: PrivateHome): void {
  const around = writable.find((folder) => isInside(root, folder));
  if (around === undefined) return;
  throw new SkeinError(`The agent may write to ${around}, which contains its private home`, {
    kind: "usage",
    target: around,
    hint: "Let it work in its own folder, or set TMPDIR to a folder it may not write to",
  });
}

/** The folders of a path in which the agent can put no program: neither itself nor by way of a link. */
async function closedFolders(path: string, writable: readonly string[]): Promise<readonly string[]> {
  const checked = await Promise.all(
    path.split(delimiter).map(async (folder) => {
      // A relative or empty one is the directory that the CLI stands in.
      if (!isAbsolute(folder)) return [];
      const real = await realpath(folder).catch(() => undefined);
      // One that is not there could be made by the agent, behind a link, and then be found.
      if (real === undefined) return [];
      return writable.some((place) => isInside(folder, place) || isInside(real, place)) ? [] : [folder];
    }),
  );
  return checked.flat();
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
