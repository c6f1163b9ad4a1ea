import { readdir, realpath } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { dataHome, SkeinError, SYSTEM_SECRETS } from "../../core/internal.ts";

/** Folders of the system that commands need in order to run: programs, libraries, devices, settings of the machine. */
const SYSTEM_FOLDERS: Readonly<Record<string, readonly string[]>> = {
  linux: "bin dev etc lib lib32 lib64 libx32 nix opt proc run sbin snap sys usr".split(" "),
};

/** Where people and programs keep what is theirs, on a system whose root cannot be closed folder by folder. */
const PERSONAL_FOLDERS = ["/Users", "/Volumes", "/private/tmp", "/private/var/tmp"];

interface DenyOptions {
  readonly platform?: NodeJS.Platform;
  /** The root of the file system. */
  readonly root?: string;
  /** What is private wherever it lies: the user's home, Skein's, and the folder for temporary files by default. */
  readonly homes?: readonly string[];
}

/**
 * What has to be denied so that nothing but the system's folders can be read: the CLI has no list of what may be read, only one of what
 * may not, with exceptions. Everything else in the root of the file system is denied, homes, mounts and temporary folders among it.
 */
export async function foldersToDeny(options: DenyOptions = {}): Promise<readonly string[]> {
  const { platform = process.platform, root = "/", homes = [homedir(), dataHome(), tmpdir()] } = options;
  const system = SYSTEM_FOLDERS[platform];
  const own = system ? await otherThan(system, root) : PERSONAL_FOLDERS;
  // What a path really leads to: the CLI passes over links that it is told to deny. The root stands for what is not there, and stays.
  const found = await Promise.all([...own, ...homes].map((path) => realpath(path).catch(() => root)));
  const needed = new Set([root, ...(system ?? []).flatMap((name) => [join(root, name), join(root, "usr", name)])]);
  return [...new Set(found)].filter((path) => !needed.has(path)).toSorted();
}

async function otherThan(system: readonly string[], root: string): Promise<readonly string[]> {
  const names = (await readdir(root)).filter((name) => !system.includes(name));
  const pattern = names.find((name) => /[*?[\]]/u.test(name));
  if (pattern !== undefined) {
    const target = join(root, pattern);
    const message = `${target} cannot be hidden from an agent: the sandbox would read its name as a pattern`;
    throw new SkeinError(message, { kind: "config", target, hint: "Rename it" });
  }
  return [...names, ...SYSTEM_SECRETS].map((name) => join(root, name));
}
