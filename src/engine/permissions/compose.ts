import { PASS, type PermissionDecision, type PermissionPolicy, type PermissionRequest } from "./permission-policy.ts";

/**
 * One policy of many: any deny wins, else the first allow, else there is no opinion. They are asked in order, up to the
 * first deny, so one that asks a person comes last. An input that the first allow rewrote is judged by all the others.
 */
export function compose(...policies: readonly PermissionPolicy[]): PermissionPolicy {
  return async (request) => {
    let decision: PermissionDecision = PASS;
    let current = request;
    for (const [index, policy] of policies.entries()) {
      const next = await policy(current);
      if (next.type === "deny") return next;
      if (next.type === "pass" || decision.type === "allow") continue;
      decision = next;
      if (!next.input) continue;
      current = { ...request, input: next.input };
      const denial = await firstDenial(policies.slice(0, index), current);
      if (denial) return denial;
    }
    return decision;
  };
}

/** The first policy with an opinion decides; those after it are not asked. */
export function firstOf(...policies: readonly PermissionPolicy[]): PermissionPolicy {
  return async (request) => {
    for (const policy of policies) {
      const decision = await policy(request);
      if (decision.type !== "pass") return decision;
    }
    return PASS;
  };
}

async function firstDenial(
  policies: readonly PermissionPolicy[],
  request: PermissionRequest,
): Promise<PermissionDecision | undefined> {
  for (const policy of policies) {
    const decision = await policy(request);
    if (decision.type === "deny") return decision;
  }
  return undefined;
}
