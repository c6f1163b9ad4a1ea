export { confineTurn } from "./confine-turn.ts";
export { isolate, type Isolation } from "./isolate.ts";
export { IsolationConfig } from "./isolation-config.ts";
export { HostMount } from "./mounts/host-mount.ts";
export { NetworkPolicy } from "./network-policy.ts";
export { safeOptions } from "./safe-options.ts";
export { SandboxConfig } from "./sandbox-config.ts";
export { detectSandbox } from "./sandbox/detect-sandbox.ts";
