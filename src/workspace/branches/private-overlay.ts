import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { usePrivateDirectory, type ShownDirectory } from "../../core/index.ts";
import { makeOverlayFolders, overlayOptions, type Overlay } from "./overlay-mount.ts";
import { holdNamespace } from "../shown/held-namespace.ts";
import type { ShowPlan } from "../shown/plan-show.ts";
import { AS_USER, MOUNTS_ALONE, namespaceFiles, shownDirectory } from "../shown/show-branch.ts";
import { SHOW_SCRIPT, showArguments, shownBy } from "../shown/show-script.ts";

/** An overlay that this process holds, and that nobody sees but those who enter it. */
export interface PrivateOverlay extends Disposable {
  /** The folder in which it is seen. */
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
export async function mountPrivately(overlay: Overlay, plan?: ShowPlan): Promise<PrivateOverlay> {
  const { folder, lower } = overlay;
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
