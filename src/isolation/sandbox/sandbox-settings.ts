import { join } from "node:path";
import type { SandboxSettings } from "@anthropic-ai/claude-agent-sdk";
import { isUnrestricted, NetworkPolicy } from "../network-policy.ts";
import { SandboxConfig } from "../sandbox-config.ts";
import type { IsolationConfig } from "../isolation-config.ts";
import type { PrivateHome } from "../home/private-home.ts";
import { fileToolDenials, variableDenials } from "../secrets/keep-secrets.ts";
import type { ClaudeOptions, PermissionMode } from "../../engine/internal.ts";

/** What the settings of an isolated turn are made from. */
export interface SandboxPlan {
  readonly config: IsolationConfig;
  readonly home: PrivateHome;
  /** What must not be read, unless it lies in something that is allowed. */
  readonly closed: readonly string[];
  /** What may be read beside the working directories, as real paths: the paths of the configuration, plugins. */
  readonly readable: readonly string[];
  /** What may be written, as real paths. */
  readonly writable: readonly string[];
  /** Variables that commands must not see. */
  readonly secrets: readonly string[];
}

/**
 * The sandbox of an isolated turn. A path that may be read is an exception from what is denied; what the CLI keeps in the
 * private home is denied to commands, so that none can write itself a hook that then runs outside.
 */
export function sandboxSettings({ config, home, closed, readable, writable, secrets }: SandboxPlan): SandboxSettings {
  const { sandbox, networkPolicy } = config;
  const { deniedPaths } = sandbox;
  const settings = commandSandbox(sandbox, networkPolicy);
  return {
    ...settings,
    // Where nobody can be asked, a host that is not listed would be a question to the permission mode.
    network: { ...settings.network, ...(isUnrestricted(networkPolicy) ? {} : { strictAllowlist: true }) },
    filesystem: {
      // Not the folder for temporary files: the sockets of the sandbox lie in it, and the CLI opens a folder in it by itself.
      allowWrite: [home.home, ...writable],
      denyWrite: [home.config, ...writable.map((folder) => join(folder, ".envrc")), ...deniedPaths],
      denyRead: [...closed, home.root, home.config, ...deniedPaths],
      allowRead: [home.home, home.temporary, ...readable, ...writable],
    },
    ...variableDenials(secrets),
  };
}

/**
 * The sandbox of a turn among the user's own files: no network unless one is named, and a command may ask to run outside. In `acceptEdits` commands run
 * without being asked for; the other modes promise to ask, to plan or to refuse, and a sandboxed command can still change files.
 */
export function turnSandbox(mode: PermissionMode, network = NetworkPolicy.noNetwork()): SandboxSettings {
  const config = SandboxConfig({ bashAutoAllow: mode === "acceptEdits", allowUnsandboxedCommands: true });
  return commandSandbox(config, network);
}

/** How commands are confined, in the keys that the CLI reads. */
function commandSandbox(sandbox: SandboxConfig, networkPolicy: NetworkPolicy): SandboxSettings {
  return {
    enabled: sandbox.enabled,
    failIfUnavailable: true,
    autoAllowBashIfSandboxed: sandbox.bashAutoAllow,
    allowUnsandboxedCommands: sandbox.allowUnsandboxedCommands,
    ...(sandbox.excludedCommands.length > 0 ? { excludedCommands: [...sandbox.excludedCommands] } : {}),
    ...(sandbox.enableWeakerNestedSandbox ? { enableWeakerNestedSandbox: true } : {}),
    network: {
      allowedDomains: [...networkPolicy.allowedDomains],
      allowLocalBinding: networkPolicy.allowLocalBinding,
    },
  };
}

/**
 * Keeps the file tools in, which the CLI runs outside of the sandbox: no read and no write beyond the working directories, through
 * links neither, in every permission mode.
 */
export function fileToolSettings({ config, home, readable }: SandboxPlan): NonNullable<ClaudeOptions["settings"]> {
  const { deniedPaths } = config.sandbox;
  return {
    permissions: {
      blockFileToolReadsOutsideWorkingDirectories: true,
      blockWritesOutsideWorkingDirectories: true,
      blockReadsExemptPaths: [home.temporary, ...readable],
      deny: fileToolDenials(deniedPaths),
    },
  };
}
