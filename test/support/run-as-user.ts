import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** What a script needs, where the user cannot read the working tree. */
const PARTS = ["dist", "node_modules", "package.json", "test"];

/** Nobody: a user without rights. */
const USER = 65534;

/**
 * Runs a script of the working tree as an ordinary user, with a home of its own that `prepare` may fill, and gives what it prints. Root
 * becomes such a user for it.
 */
export async function runAsUser(
  script: string,
  prepare: (home: string) => Promise<readonly string[]> = async () => [],
): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), "skein-user-"));
  try {
    const args = await prepare(home);
    const env = [`PATH=${process.env["PATH"]}`, `HOME=${home}`, `TMPDIR=${home}`];
    const isRoot = process.getuid?.() === 0;
    const become = isRoot ? ["setpriv", "--reuid", `${USER}`, "--regid", `${USER}`, "--clear-groups"] : [];
    const asUser = async (...argv: string[]): Promise<string> => {
      const [command = "env", ...rest] = [...become, "env", "-i", ...env, ...argv];
      return (await run(command, rest, { cwd: "/" })).stdout;
    };
    const isReadable = await asUser("test", "-r", join(ROOT, script)).then(
      () => true,
      () => false,
    );
    if (!isReadable) await run("cp", ["-a", ...PARTS, home], { cwd: ROOT });
    if (isRoot) await run("chown", ["-R", `${USER}:${USER}`, home]);
    return await asUser(process.execPath, join(isReadable ? ROOT : home, script), ...args);
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}
