import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { usePrivateDirectory } from "../core/index.ts";
import { makeOverlayFolders, overlayOptions, type Overlay } from "./overlay-mount.ts";

/** An overlay that this process holds, and that nobody sees but those who enter it. */
export interface PrivateOverlay extends Disposable {
  /** The folder in which it is seen. */
  readonly path: string;
  /** The way to that folder for this process. */
  readonly view: string;
}

/**
 * Mounts an overlay without the right to mount: in a user and a mount namespace of its own. No process stays in there. Three
 * open files of this one keep it, and the kernel closes those however this process ends, so that no mount can be left.
 */
export async function mountPrivately(overlay: Overlay): Promise<PrivateOverlay> {
  const { folder } = overlay;
  await makeOverlayFolders(folder);
  const path = join(folder, "merged");
  // Who forgets to enter shall not take an empty folder for the branch.
  await chmod(path, 0);
  const files = await openNamespace(overlay, (pid) =>
    openAll([`/proc/${pid}/ns/user`, `/proc/${pid}/ns/mnt`, `/proc/${pid}/root${folder}`]),
  );
  const [user = "", mount = "", outer = ""] = files.map((file) => `/proc/${process.pid}/fd/${file}`);
  // Not an open file itself, for that would look like a link.
  const view = join(outer, "merged");
  // The uid is the same inside, and what is executed there gets no capability.
  const entry = ["nsenter", "--preserve-credentials", `--user=${user}`, `--mount=${mount}`];
  const use = usePrivateDirectory({ path, view, entry });
  let isOpen = true;
  return {
    path,
    view,
    [Symbol.dispose]() {
      use[Symbol.dispose]();
      if (isOpen) files.forEach((file) => closeSync(file));
      isOpen = false;
    },
  };
}

/** It ends when its input does, and so with this process. */
const SCRIPT = `mount -t overlay skein -o "$1" merged && echo mounted && read -r _`;

/** Runs some work while a process is there in whose namespaces the overlay is mounted. */
async function openNamespace<T>({ folder, lower }: Overlay, work: (pid: number) => T): Promise<T> {
  // The kernel keeps its notes in attributes that an ordinary user may write.
  const options = `${overlayOptions(lower)},userxattr`;
  const args = ["-Um", "--map-current-user", "--keep-caps", "sh", "-c", SCRIPT, "skein", options];
  const child = spawn("unshare", args, { cwd: folder, stdio: ["pipe", "pipe", "pipe"] });
  let stderr = "";
  child.stderr.on("data", (text) => (stderr = `${stderr}${text}`.slice(-1000)));
  child.stdin.on("error", () => undefined);
  const closed = once(child, "close");
  // Heard below, after the answer.
  closed.catch(() => undefined);
  try {
    const isMounted = await Promise.race([once(child.stdout, "data").then(() => true), closed.then(() => false)]);
    if (isMounted && child.pid !== undefined) return work(child.pid);
  } finally {
    child.stdin.end();
    await closed;
  }
  throw new Error(stderr.trim() || "The overlay cannot be mounted in a namespace");
}

function openAll(paths: readonly string[]): readonly number[] {
  const files: number[] = [];
  try {
    for (const path of paths) files.push(openSync(path, "r"));
    return files;
  } catch (error) {
    files.forEach((file) => closeSync(file));
    throw error;
  }
}
