export { refuseBeyondSession, refuseWorktrees } from "./calls/beyond-session.ts";
export { mergeHooks, refuseCalls, type CallCheck, type ToolCallRequest } from "./calls/refuse-calls.ts";
export { confineTurn, type ConfineTurnOptions } from "./confine-turn.ts";
export { createHeldFolder, sweepHeldFolders, type HeldFolder } from "./home/held-folder.ts";
export { isolate, type IsolateOptions, type Isolation } from "./isolate.ts";
export { IsolationConfig, type IsolationOptions } from "./isolation-config.ts";
export { checkMounts } from "./mounts/allowed-roots.ts";
export { copyMount, type MountPreview } from "./mounts/copy-mount.ts";
export { HostMount, type HostMountOptions } from "./mounts/host-mount.ts";
export { NetworkPolicy, type NetworkPolicyOptions } from "./network-policy.ts";
export { SandboxConfig, type SandboxConfigOptions } from "./sandbox-config.ts";
export {
  detectSandbox,
  sandboxRemedy,
  type DetectSandboxOptions,
  type SandboxRemedy,
  type SandboxSupport,
} from "./sandbox/detect-sandbox.ts";
export { turnSandbox } from "./sandbox/sandbox-settings.ts";
export { closedStore, type ClosedStoreOptions } from "./secrets/closed-store.ts";
export { keepSecrets, type KeepSecretsOptions } from "./secrets/keep-secrets.ts";
