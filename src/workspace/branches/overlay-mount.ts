import { execFile } from "node:child_process";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { systemClock, type Clock } from "../../core/index.ts";

const run = promisify(execFile);

/** An overlay: a folder with `upper`, `work` and `merged` in it, and what lies below them. */
export interface Overlay {
  readonly folder: string;
  /** The folder that never changes, as a path from `folder`: names in it must need no escaping. */
  readonly lower: string;
}

/** Makes the folders of an overlay and mounts it; gives the folder in which it is seen. Needs the right to mount. */
export async function mountOverlay({ folder, lower }: Overlay): Promise<string> {
  await makeOverlayFolders(folder);
  await run("mount", ["-t", "overlay", "skein", "-o", overlayOptions(lower), "merged"], { cwd: folder });
  return join(folder, "merged");
}

/** Makes the folders that an overlay is mounted with. */
export async function makeOverlayFolders(folder: string): Promise<void> {
  for (const name of ["upper", "work", "merged"]) await mkdir(join(folder, name), { recursive: true });
}

/** With what an overlay is mounted, from its folder. */
export function overlayOptions(lower: string): string {
  return [`lowerdir=${lower}`, "upperdir=upper", "workdir=work", ...OPTIONS].join(",");
}

/**
 * A folder that is renamed is copied, so that a name tells where its content lies; and nothing is written to the disk in
 * haste, for after a crash a branch is thrown away.
 */
const OPTIONS: readonly string[] = ["redirect_dir=nofollow", "metacopy=off", "index=off", "volatile"];

/** Ends an overlay. Who still works in it is waited for a little, and then keeps what it has open, which nobody else sees. */
export async function unmountOverlay(folder: string, clock: Clock = systemClock): Promise<void> {
  const merged = join(folder, "merged");
  for (let attempt = 1; await isMounted(merged); attempt += 1) {
    const lazily = attempt > PATIENT_ATTEMPTS ? ["-l"] : [];
    const isDone = await run("umount", [...lazily, merged]).then(
      () => true,
      () => false,
    );
    if (isDone) continue;
    if (attempt > 2 * PATIENT_ATTEMPTS) throw new Error(`${merged} cannot be unmounted`);
    await clock.sleep(20 * attempt);
  }
}

const PATIENT_ATTEMPTS = 5;

/** Whether something is mounted at a real path. */
export async function isMounted(path: string): Promise<boolean> {
  const text = await readFile("/proc/self/mountinfo", "utf8").catch(() => "");
  const escaped = path.replaceAll(/[\s\\]/g, (char) => `\\${char.charCodeAt(0).toString(8).padStart(3, "0")}`);
  return text.split("\n").some((line) => line.split(" ")[4] === escaped);
}
