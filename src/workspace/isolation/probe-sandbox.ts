import { execFile } from "node:child_process";
import { SkeinError } from "../../core/index.ts";

/** What the CLI will ask of bubblewrap, at its smallest: namespaces for users, processes and the network, and a new /proc. */
const PROBE = ["--unshare-user", "--unshare-pid", "--unshare-net", "--ro-bind", "/", "/", "--dev", "/dev"];

/** How long the probe may take on a busy machine. */
const PROBE_TIMEOUT_MS = 20_000;

/** What a probe needs to know. */
export interface ProbeOptions {
  /** Where programs are looked for. */
  readonly path?: string | undefined;
  /** Whether the weaker sandbox will do, which has no /proc of its own. */
  readonly isWeaker?: boolean;
}

/** Tries whether this machine lets a sandbox be made, and refuses with what to set where it does not (Linux). */
export async function probeSandbox({ path = process.env["PATH"], isWeaker = false }: ProbeOptions = {}): Promise<void> {
  if (process.platform !== "linux") return;
  const args = [...PROBE, ...(isWeaker ? ["--bind", "/proc", "/proc"] : ["--proc", "/proc"]), "true"];
  const failure = await new Promise<string | undefined>((resolve) => {
    execFile("bwrap", args, { env: { PATH: path }, timeout: PROBE_TIMEOUT_MS }, (error, _, stderr) =>
      resolve(error ? stderr.trim() || error.message : undefined),
    );
  });
  if (failure === undefined) return;
  throw new SkeinError(`This machine does not let a sandbox be made: ${failure}`, {
    kind: "config",
    target: "sandbox",
    hint:
      "Allow user namespaces (sysctl kernel.unprivileged_userns_clone=1, kernel.apparmor_restrict_unprivileged_userns=0), or start " +
      "the container with --security-opt seccomp=unconfined; where only /proc is refused, enableWeakerNestedSandbox will do",
  });
}
