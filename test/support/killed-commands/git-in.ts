import { execFile } from "node:child_process";
import { promisify } from "node:util";

/** What git says of a repository. The test is not held up meanwhile: it may have to kill a command in this very millisecond. */
export async function gitIn(gitDirectory: string, ...args: readonly string[]): Promise<string> {
  const { stdout } = await run("git", ["--git-dir", gitDirectory, ...args], { maxBuffer: 2 ** 26 });
  return stdout;
}

const run = promisify(execFile);
