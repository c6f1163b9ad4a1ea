// What other rooms use of this one; users have `index.ts`.
export { mergeHooks } from "./calls/refuse-calls.ts";
export { confineTurn } from "./confine-turn.ts";
export { createHeldFolder } from "./home/held-folder.ts";
export { isolatedEngine } from "./isolated-engine.ts";
export { isolate } from "./isolate.ts";
export { IsolationConfig, type IsolationOptions } from "./isolation-config.ts";
export { copyMount, type MountPreview } from "./mounts/copy-mount.ts";
export { checkMounts, HostMount, type HostMountOptions } from "./mounts/host-mount.ts";
export { NetworkPolicy } from "./network-policy.ts";
export { confineAsAgent, confineAsIsolated, type Confine } from "./sandbox/confine-command.ts";
export { detectSandbox, sandboxRemedy, type SandboxRemedy } from "./sandbox/detect-sandbox.ts";
export { turnBounds } from "./sandbox/turn-bounds.ts";
export { networkDomain } from "./network-policy.ts";
export { closeFiles } from "./settings/close-files.ts";
export { trustedEngine, type TrustedFolders } from "./settings/trusted-engine.ts";
