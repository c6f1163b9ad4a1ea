import type { SandboxSupport } from "./detect-sandbox.ts";

/** Why there is no sandbox, in a few words, and what can be done about it. */
export interface SandboxRemedy {
  readonly reason: string;
  readonly remedy: string;
}

/** Says why a sandbox cannot be had and what to do; for one that can be had there is nothing to say. */
export function sandboxRemedy({ available, missing, failure }: SandboxSupport): SandboxRemedy | undefined {
  if (available) return undefined;
  if (missing.length > 0) {
    return { reason: `missing: ${missing.join(", ")}`, remedy: `install ${missing.join(" and ")}` };
  }
  if (failure === undefined) return { reason: "not on this system", remedy: "use Linux or macOS" };
  return {
    reason: `this machine does not allow one: ${failure}`,
    remedy:
      "allow user namespaces (sysctl kernel.unprivileged_userns_clone=1, kernel.apparmor_restrict_unprivileged_userns=0), or start the " +
      "container with --security-opt seccomp=unconfined --security-opt systempaths=unconfined",
  };
}
