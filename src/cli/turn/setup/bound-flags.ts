import type { z } from "zod";
import { IsolationConfig, NetworkPolicy } from "../../../isolation/internal.ts";
import { SkeinError, toSkeinError } from "../../../core/internal.ts";
import { listFlag, switchFlag } from "../../common-flags.ts";

/** The flags that say what an agent can reach. */
export const boundFlags = {
  isolated: switchFlag(
    "Isolate the agent: a home of its own, no network, nothing to read but the workspace and the system",
  ).meta({ setting: "sandbox.isolated" }),
  allowDomain: listFlag(
    "domain",
    "Let sandboxed commands reach a host, such as pypi.org or *.example.org; repeat it for several",
  ).meta({ setting: "sandbox.domains" }),
  mount: listFlag(
    "host",
    "Copy a file or folder into the workspace before the first turn, as host or host:target; repeat it for several",
  ),
} as const;

export type BoundFlags = z.infer<z.ZodObject<typeof boundFlags>>;

/** The hosts that commands may reach; none by default. */
export function readDomains({ allowDomain }: Pick<BoundFlags, "allowDomain">): NetworkPolicy {
  try {
    return NetworkPolicy.withDomains(...allowDomain);
  } catch (error) {
    const message = toSkeinError(error).message.replace(/^NetworkPolicy\.[\w.]+: /u, "");
    throw new SkeinError(`--allow-domain: ${message}`, {
      kind: "usage",
      target: "--allow-domain",
      hint: "Name a host, such as pypi.org, all below one with *.example.org, or * for every host",
    });
  }
}

/** The isolation sets some variables itself; another value would lead out of it. */
export function checkIsolatedEnv(env: Readonly<Record<string, string>>): void {
  for (const name of Object.keys(env)) {
    try {
      IsolationConfig({ env: { [name]: "" } });
    } catch {
      throw together("--isolated", "--env", `isolation sets ${name} itself`);
    }
  }
}

type Combined = Partial<BoundFlags> & {
  readonly settingSources?: readonly string[];
  readonly reveal?: readonly string[];
  readonly allowWorktrees?: boolean;
  readonly resume?: string | undefined;
  readonly permissionMode?: string;
};

/** Refuses flags that take back what another one promises. */
export function checkBounds(given: Combined): void {
  const { isolated, settingSources = [], reveal = [], allowDomain = [] } = given;
  if (isolated) {
    if (settingSources.length > 0) throw together("--isolated", "--setting-sources", "isolation reads no settings");
    if (reveal.length > 0)
      throw together("--isolated", "--reveal", "isolation shows nothing of yours; use --env or --mount");
    if (given.allowWorktrees) throw together("--isolated", "--allow-worktrees", "git would run outside the isolation");
    if (given.resume !== undefined)
      throw together("--isolated", "--resume", "the session is in your home; use --import");
    return;
  }
  if (allowDomain.length > 0 && given.permissionMode === "bypassPermissions") {
    throw together(
      "--allow-domain",
      "--permission-mode bypassPermissions",
      "without a sandbox every host can be reached",
    );
  }
}

/** A hint names what a flag sets: `--no-record` is of `record`; what is given to it stays behind it. */
function optionOf(typed: string): string {
  const [flag = "", ...given] = typed.split(" ");
  const option = flag.replace(/^--(?:no-)?/u, "").replaceAll(/-([a-z])/gu, (_, letter: string) => letter.toUpperCase());
  return [`\`${option}\``, ...given].join(" ");
}

export function together(flag: string, other: string, why: string): SkeinError {
  return new SkeinError(`${flag} and ${other} cannot be combined: ${why}`, {
    kind: "usage",
    target: other.split(" ")[0],
    hint: `Leave out ${optionOf(flag)} or ${optionOf(other)}`,
  });
}
