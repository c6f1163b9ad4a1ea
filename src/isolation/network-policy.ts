import { z } from "zod";
import { parseRecord } from "./parse-record.ts";

/** A name, with `*.` in front for all below it, or an address in numbers. */
const DOMAIN = /^(\*\.)?[a-z0-9_]([a-z0-9_-]{0,62})(\.[a-z0-9_]([a-z0-9_-]{0,62}))*$/iu;

/** A host that tools may reach, as a policy names it. */
export const networkDomain = z.string().refine((given) => given === "*" || DOMAIN.test(given), {
  error: "a domain is a name such as docs.python.org or *.python.org, without scheme, port or path",
});

const FIELDS = z.strictObject({
  /** Hosts that tools may reach; none by an empty list, all by `*`. */
  allowedDomains: z.array(networkDomain).readonly().default([]),
  /** Whether commands may listen on a port of their own (macOS; on Linux a sandbox has a loopback of its own). */
  allowLocalBinding: z.boolean().default(false),
});

/** What tools may reach on the network. The model's own connection is not part of it. */
export type NetworkPolicy = Readonly<z.infer<typeof FIELDS>>;

/** What a network policy is made of; what is left out allows nothing. */
export type NetworkPolicyOptions = z.input<typeof FIELDS>;

/** Makes a policy: `NetworkPolicy.noNetwork()`, `NetworkPolicy.withDomains("pypi.org")`, or from its fields. */
export const NetworkPolicy = Object.assign(
  (options: NetworkPolicyOptions = {}): NetworkPolicy => parseRecord("NetworkPolicy", FIELDS, options),
  {
    /** Tools reach nothing. */
    noNetwork: (): NetworkPolicy => NetworkPolicy(),
    /** Tools reach these hosts and no others; `*` stands for all. */
    withDomains: (...allowedDomains: readonly string[]): NetworkPolicy =>
      NetworkPolicy({ allowedDomains: [...allowedDomains] }),
  },
);

export function isUnrestricted({ allowedDomains }: NetworkPolicy): boolean {
  return allowedDomains.includes("*");
}

export function allowsHost({ allowedDomains }: NetworkPolicy, host: string): boolean {
  const name = host.toLowerCase();
  return allowedDomains.some((given) => {
    const allowed = given.toLowerCase();
    if (allowed === "*") return true;
    return allowed.startsWith("*.") ? name.endsWith(allowed.slice(1)) : name === allowed;
  });
}
