import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { createHeldFolder } from "./held-folder.ts";

/** A home for one agent, gone with it. */
export interface PrivateHome extends AsyncDisposable {
  readonly root: string;
  /** What the agent's commands see as their home, and may write. */
  readonly home: string;
  /** The home of the CLI itself, in which that one lies. Nothing else in it may be written: shells and git of the CLI read it. */
  readonly cliHome: string;
  /** Where the CLI keeps its settings and sessions. Tools may neither read nor write it. */
  readonly config: string;
  /** For the CLI's temporary files and the sockets of the sandbox. It opens a folder in it to commands by itself. */
  readonly temporary: string;
  /** What comes first on the CLI's own path. */
  readonly programs: string;
  /** The variables that make the CLI use it. */
  readonly variables: Readonly<Record<string, string>>;
}

/** Makes a home, after removing those of hosts that were killed. `folder` is where homes are; its path has to be short, for sockets. */
export async function createPrivateHome(folder?: string): Promise<PrivateHome> {
  const held = await createHeldFolder("home", folder);
  const root = held.path;
  const [cliHome, temporary, programs] = [join(root, "home"), join(root, "tmp"), join(root, "programs")];
  const [home, config] = [join(cliHome, "agent"), join(cliHome, ".claude")];
  for (const path of [cliHome, home, config, temporary, programs]) await mkdir(path, { mode: 0o700 });
  const variables = {
    HOME: cliHome,
    CLAUDE_CONFIG_DIR: config,
    TMPDIR: temporary,
    CLAUDE_CODE_TMPDIR: temporary,
    ...(process.platform === "win32" ? { USERPROFILE: cliHome, TEMP: temporary, TMP: temporary } : {}),
  };
  const dispose = held[Symbol.asyncDispose];
  return { root, home, cliHome, config, temporary, programs, variables, [Symbol.asyncDispose]: dispose };
}
