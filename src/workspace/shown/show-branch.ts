import { join } from "node:path";
import type { ShownDirectory } from "../../core/index.ts";
import { holdNamespace } from "./held-namespace.ts";
import type { ShowPlan } from "./plan-show.ts";
import { SHOW_SCRIPT, showArguments, shownBy } from "./show-script.ts";

/** How long a namespace is not to hear of mounts of the host: never; but it hears of what is unmounted. */
export const MOUNTS_ALONE: readonly string[] = ["-m", "--propagation", "slave"];

/** A user namespace besides, for who has no right to mount. The uid is the same in there. */
export const AS_USER: readonly string[] = ["-U", "--map-current-user", "--keep-caps"];

/** A branch that is shown at another path, as long as it is not disposed of. */
export interface ShownBranch extends Disposable {
  readonly shown: ShownDirectory;
}

/** Shows a branch that everybody sees to agents at another path, in a namespace of its own. */
export async function showBranch(plan: ShowPlan, branch: string): Promise<ShownBranch> {
  const script = ["sh", "-c", SHOW_SCRIPT, "skein", ...showArguments(plan, branch)];
  const asRoot = await hold(plan, [...MOUNTS_ALONE, ...script]).catch(() => undefined);
  if (asRoot) return asRoot;
  return await hold(plan, [...AS_USER, ...MOUNTS_ALONE, ...script], "user");
}

async function hold(plan: ShowPlan, args: readonly string[], ...kinds: readonly "user"[]): Promise<ShownBranch> {
  const held = await holdNamespace({ args }, (line) => namespaceFiles(shownBy(line) ?? 0, plan, kinds));
  const [mount = "", inside = "", user] = held.files;
  return { shown: shownDirectory(plan, { mount, inside, user }), [Symbol.dispose]: held[Symbol.dispose] };
}

/** What is opened of a process to enter the namespace in which it shows a branch. */
export function namespaceFiles(pid: number, { at }: ShowPlan, kinds: readonly "user"[] = []): readonly string[] {
  return [`/proc/${pid}/ns/mnt`, `/proc/${pid}/root${at}`, ...kinds.map((kind) => `/proc/${pid}/ns/${kind}`)];
}

/** The way into a namespace by its open files. */
export function shownDirectory(
  { at, folders }: ShowPlan,
  { mount, inside, user }: Record<"mount" | "inside", string> & { readonly user?: string | undefined },
): ShownDirectory {
  // What is executed there gets no capability.
  const asUser = user === undefined ? [] : ["--preserve-credentials", `--user=${user}`];
  const entry = ["nsenter", ...asUser, `--mount=${mount}`];
  return { at, inside, entry, kept: folders.map(({ to }) => join(at, to)) };
}
