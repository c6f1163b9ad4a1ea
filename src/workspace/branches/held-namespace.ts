import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";

interface HeldNamespace extends Disposable {
  /** Ways to the open files for this process and for commands that it starts, in the order of what was asked for. */
  readonly files: readonly string[];
  readonly line: string;
  readonly complaint: string;
}

/**
 * Runs a script that makes namespaces, mounts in them, says so in a line, and waits until its input ends; opens files of its namespaces while it is there. No process stays in them: the open files keep them, and the
 * kernel closes those however this process ends, so that no mount can be left.
 */
export async function holdNamespace(
  { args, cwd = "/" }: { readonly args: readonly string[]; readonly cwd?: string },
  wanted: (line: string, pid: number) => readonly string[],
): Promise<HeldNamespace> {
  const child = spawn("unshare", args, { cwd, stdio: ["pipe", "pipe", "pipe"] });
  let stderr = "";
  child.stderr.on("data", (text) => (stderr = `${stderr}${text}`.slice(-1000)));
  child.stdin.on("error", () => undefined);
  const closed = once(child, "close");
  // Heard below, after the answer.
  closed.catch(() => undefined);
  try {
    const said = await Promise.race([once(child.stdout, "data").then(([text]) => String(text)), closed.then(() => "")]);
    if (said !== "" && child.pid !== undefined) {
      const line = said.trim();
      return { ...hold(wanted(line, child.pid)), line, complaint: stderr.trim() };
    }
  } finally {
    child.stdin.end();
    await closed;
  }
  throw new Error(stderr.trim() || "A namespace cannot be created");
}

function hold(paths: readonly string[]): Pick<HeldNamespace, "files" | typeof Symbol.dispose> {
  let open: number[] = [];
  const dispose = (): void => {
    open.forEach((file) => closeSync(file));
    open = [];
  };
  try {
    for (const path of paths) open.push(openSync(path, "r"));
    return { files: open.map((file) => `/proc/${process.pid}/fd/${file}`), [Symbol.dispose]: dispose };
  } catch (error) {
    dispose();
    throw error;
  }
}
