import type { SandboxSettings } from "@anthropic-ai/claude-agent-sdk";
import { z } from "zod";
import { text, type FieldsOf } from "./option-values.ts";

const flag = z.boolean().optional();
const texts = z.array(text).optional();
const port = z.int().min(1).max(65_535).optional();

const NETWORK = {
  allowedDomains: texts,
  deniedDomains: texts,
  strictAllowlist: flag,
  allowManagedDomainsOnly: flag,
  allowUnixSockets: texts,
  allowAllUnixSockets: flag,
  allowLocalBinding: flag,
  allowMachLookup: texts,
  httpProxyPort: port,
  socksProxyPort: port,
  tlsTerminate: z.strictObject({ caCertPath: text.optional(), caKeyPath: text.optional() }).optional(),
} satisfies FieldsOf<NonNullable<SandboxSettings["network"]>>;

const FILESYSTEM = {
  allowWrite: texts,
  denyWrite: texts,
  denyRead: texts,
  allowRead: texts,
  allowManagedReadPathsOnly: flag,
  disabled: flag,
} satisfies FieldsOf<NonNullable<SandboxSettings["filesystem"]>>;

const FIELDS = {
  enabled: flag,
  failIfUnavailable: flag,
  autoAllowBashIfSandboxed: flag,
  allowUnsandboxedCommands: flag,
  network: z.strictObject(NETWORK).optional(),
  filesystem: z.strictObject(FILESYSTEM).optional(),
  // The CLI checks it, and refuses to run where the sandbox is on and something in here is wrong.
  credentials: z.record(z.string(), z.unknown()).optional() as z.ZodType<SandboxSettings["credentials"]>,
  ignoreViolations: z.record(z.string(), z.array(text)).optional(),
  enableWeakerNestedSandbox: flag,
  allowNestedUserNamespaces: flag,
  enableWeakerNetworkIsolation: flag,
  allowAppleEvents: flag,
  excludedCommands: texts,
  ripgrep: z.strictObject({ command: text, args: z.array(z.string()).optional() }).optional(),
  bwrapPath: text.optional(),
  socatPath: text.optional(),
} satisfies FieldsOf<SandboxSettings>;

/** The sandbox. Strict, because the CLI passes over what it does not know: a misspelt `enabled` would confine nothing. */
export const sandboxSchema = z.strictObject(FIELDS) as unknown as z.ZodType<SandboxSettings>;
