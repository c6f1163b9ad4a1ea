import { z } from "zod";
import { SkeinError } from "../core/internal.ts";
import { isUnrestricted, NetworkPolicy } from "./network-policy.ts";
import { parseRecord } from "./parse-record.ts";
import { SandboxConfig } from "./sandbox-config.ts";

/** Variables that say where the private home is: another value would lead out of it. */
const RESERVED = "HOME USERPROFILE CLAUDE_CONFIG_DIR CLAUDE_ENV_FILE TMPDIR TMP TEMP CLAUDE_CODE_TMPDIR".split(" ");

const variable = z
  .string()
  .regex(/^[^=\0]+$/u, { error: "a variable is named without =" })
  .refine((name) => !RESERVED.includes(name), { error: "this variable is set by the isolation itself" });

const FIELDS = z.strictObject({
  // Their own makers check these two.
  networkPolicy: z.unknown().optional(),
  sandbox: z.unknown().optional(),
  /** Variables for the agent and its tools; they come before all others. */
  env: z.record(variable, z.string()).readonly().default({}),
  /** The key for the API; without it the host's credentials for the API are passed on. */
  apiKey: z.string().min(1).optional(),
  /** A token of a Claude account, as `claude setup-token` makes one, in the place of a key: a login in the home is not seen. */
  oauthToken: z.string().min(1).optional(),
  /** Whether the host's variables are passed on, but for those that name a secret. */
  includeHostEnv: z.boolean().default(false),
});

/** How an evaluation is kept apart from the machine that it runs on. */
export interface IsolationConfig extends Readonly<Omit<z.infer<typeof FIELDS>, "networkPolicy" | "sandbox">> {
  readonly networkPolicy: NetworkPolicy;
  readonly sandbox: SandboxConfig;
}

/** What an isolation is made of. */
export interface IsolationOptions extends Partial<Omit<IsolationConfig, "networkPolicy" | "sandbox">> {
  /** No network by default. */
  readonly networkPolicy?: NetworkPolicy | Parameters<typeof NetworkPolicy>[0];
  /** Confined by default. */
  readonly sandbox?: SandboxConfig | Parameters<typeof SandboxConfig>[0];
}

/** Makes an isolation. Left out, there is no network for tools, a sandbox, and an environment by an allow list. */
export function IsolationConfig(options: IsolationOptions = {}): IsolationConfig {
  const config: IsolationConfig = Object.freeze({
    ...parseRecord("IsolationConfig", FIELDS, options),
    networkPolicy: NetworkPolicy(options.networkPolicy),
    sandbox: SandboxConfig(options.sandbox),
  });
  if (config.apiKey !== undefined && config.oauthToken !== undefined) {
    throw new SkeinError("apiKey and oauthToken cannot be combined", {
      kind: "usage",
      target: "IsolationConfig.oauthToken",
      hint: "Give the one the agent should pay with",
    });
  }
  if (!config.sandbox.enabled && !isUnrestricted(config.networkPolicy)) {
    throw new SkeinError("Without the sandbox nothing keeps tools off the network", {
      kind: "usage",
      target: "IsolationConfig.networkPolicy",
      hint: 'Leave the sandbox on, or use NetworkPolicy.withDomains("*")',
    });
  }
  return config;
}
