import { execFile } from "node:child_process";
import { chmod, mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { type ShownDirectory, systemClock, usePrivateDirectory } from "../../core/internal.ts";
import { holdNamespace } from "./held-namespace.ts";
import {
  AS_USER,
  MOUNTS_ALONE,
  namespaceFiles,
  SHOW_SCRIPT,
  showArguments,
  shownBy,
  shownDirectory,
  type ShowPlan,
} from "./show-branch.ts";

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

async function makeOverlayFolders(folder: string): Promise<void> {
  for (const name of ["upper", "work", "merged"]) await mkdir(join(folder, name), { recursive: true });
}

function overlayOptions(lower: string): string {
  return [`lowerdir=${lower}`, "upperdir=upper", "workdir=work", ...OPTIONS].join(",");
}

/** A renamed folder is copied, so that a name tells where its content lies; nothing is flushed, for after a crash a branch is thrown away. */
const OPTIONS: readonly string[] = ["redirect_dir=nofollow", "metacopy=off", "index=off", "volatile"];

/** Ends an overlay. Who still works in it is waited for a little, and then keeps what it has open, which nobody else sees. */
export async function unmountOverlay(folder: string): Promise<void> {
  const merged = join(folder, "merged");
  for (let attempt = 1; await isMounted(merged); attempt += 1) {
    const lazily = attempt > PATIENT_ATTEMPTS ? ["-l"] : [];
    const isDone = await run("umount", [...lazily, merged]).then(
      () => true,
      () => false,
    );
    if (isDone) continue;
    if (attempt > 2 * PATIENT_ATTEMPTS) throw new Error(`${merged} cannot be unmounted`);
    await systemClock.sleep(20 * attempt);
  }
}

const PATIENT_ATTEMPTS = 5;

export async function isMounted(path: string): Promise<boolean> {
  const text = await readFile("/proc/self/mountinfo", "utf8").catch(() => "");
  const escaped = path.replaceAll(/[\s\\]/g, (char) => `\\${char.charCodeAt(0).toString(8).padStart(3, "0")}`);
  return text.split("\n").some((line) => line.split(" ")[4] === escaped);
}

/** An overlay that this process holds, and that nobody sees but those who enter it. */
interface PrivateOverlay extends Disposable {
  readonly path: string;
  /** The way to that folder for this process. */
  readonly view: string;
  /** How agents see it where that was asked for and can be had; otherwise why it cannot. */
  readonly shown: ShownDirectory | string | undefined;
}

/**
 * Mounts an overlay without the right to mount: in a user and a mount namespace of its own. Where it is to be shown to agents at
 * another path, a second mount namespace in the same user namespace has it there too.
 */
export async function mountPrivately({ folder, lower }: Overlay, plan?: ShowPlan): Promise<PrivateOverlay> {
  await makeOverlayFolders(folder);
  const path = join(folder, "merged");
  // Who forgets to enter shall not take an empty folder for the branch.
  await chmod(path, 0);
  // The kernel keeps its notes in attributes that an ordinary user may write.
  const options = `${overlayOptions(lower)},userxattr`;
  const show = plan ? [SHOW_SCRIPT, ...showArguments(plan, path)] : [];
  const held = await holdNamespace(
    { args: [...AS_USER, "-m", "sh", "-c", SCRIPT, "skein", options, ...show], cwd: folder },
    (line, pid) => {
      const shownPid = shownBy(line);
      const own = [`/proc/${pid}/ns/user`, `/proc/${pid}/ns/mnt`, `/proc/${pid}/root${folder}`];
      return plan && shownPid !== undefined ? [...own, ...namespaceFiles(shownPid, plan)] : own;
    },
  );
  const [user = "", mount = "", outer = "", shownMount, inside = ""] = held.files;
  // Not an open file itself, for that would look like a link.
  const view = join(outer, "merged");
  // The uid is the same inside, and what is executed there gets no capability.
  const entry = ["nsenter", "--preserve-credentials", `--user=${user}`, `--mount=${mount}`];
  const shown =
    plan && shownMount !== undefined ? shownDirectory(plan, { mount: shownMount, inside, user }) : undefined;
  const use = usePrivateDirectory({ path, view, entry, shown });
  return {
    path,
    view,
    shown: shown ?? (plan && held.complaint),
    [Symbol.dispose]() {
      use[Symbol.dispose]();
      held[Symbol.dispose]();
    },
  };
}

/** $1 are the overlay's options; then the script that shows it at another path, and what that is given. */
const SCRIPT = `mount -t overlay skein -o "$1" merged || exit 1
shift
if [ $# -gt 0 ]; then
  script=$1
  shift
  unshare ${MOUNTS_ALONE.join(" ")} sh -c "$script" skein "$@" && exit
fi
echo mounted && read -r _`;
