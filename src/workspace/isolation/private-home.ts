import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { createHeldFolder } from "./held-folder.ts";

/** A home for one agent, gone with it. */
export interface PrivateHome extends AsyncDisposable {
  /** The folder that holds all of it. */
  readonly root: string;
  /** What the agent and its tools see as their home. */
  readonly home: string;
  /** Where the CLI keeps its settings and sessions. Tools may neither read nor write it. */
  readonly config: string;
  /** For what the agent is given, such as skills: tools may read it, and not write. It is not made yet. */
  readonly plugin: string;
  /** For temporary files, and for the sockets of the sandbox. */
  readonly temporary: string;
  /** The variables that make a process use it. */
  readonly variables: Readonly<Record<string, string>>;
}

/** Makes a home, after removing those of hosts that were killed. `folder` is where homes are; its path has to be short, for sockets. */
export async function createPrivateHome(folder?: string): Promise<PrivateHome> {
  const held = await createHeldFolder("home", folder);
  const root = held.path;
  const [home, temporary] = [join(root, "home"), join(root, "tmp")];
  const config = join(home, ".claude");
  await mkdir(config, { recursive: true, mode: 0o700 });
  await mkdir(temporary, { mode: 0o700 });
  const variables = {
    HOME: home,
    CLAUDE_CONFIG_DIR: config,
    TMPDIR: temporary,
    CLAUDE_CODE_TMPDIR: temporary,
    ...(process.platform === "win32" ? { USERPROFILE: home, TEMP: temporary, TMP: temporary } : {}),
  };
  const plugin = join(root, "plugin");
  return { root, home, config, plugin, temporary, variables, [Symbol.asyncDispose]: held[Symbol.asyncDispose] };
}
