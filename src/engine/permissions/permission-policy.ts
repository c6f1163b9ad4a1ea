import type { PermissionUpdate } from "@anthropic-ai/claude-agent-sdk";

/** A tool call that the CLI's own rules and mode leave open. */
export interface PermissionRequest {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** One id for each call: several can be open at once. */
  readonly toolUseId: string;
  /** Aborted when the answer no longer counts: the turn ended, or the time is up. */
  readonly signal: AbortSignal;
  /** The sub-agent that calls; absent in the main conversation. */
  readonly agentId?: string;
  /** Why the CLI asks, in its own words. */
  readonly reason?: string;
  /** The path that made the CLI ask. */
  readonly blockedPath?: string;
  /** For tools of an MCP server: which one, and where its definition came from. */
  readonly mcpServer?: { readonly name: string; readonly source: string };
  /** What the CLI would change so that it need not ask again. */
  readonly suggestions?: readonly PermissionUpdate[];
}

/** What a policy makes of a request. */
export type PermissionDecision =
  /** The call is made, with `input` in the place of what the model wrote, where given. */
  | {
      readonly type: "allow";
      readonly input?: Readonly<Record<string, unknown>>;
      /** Changes of the CLI's rules, so that it need not ask again. */
      readonly updates?: readonly PermissionUpdate[];
    }
  /** The model reads the message as the tool's result; `interrupt` ends the turn. */
  | { readonly type: "deny"; readonly message: string; readonly interrupt?: boolean }
  /** No opinion. */
  | { readonly type: "pass" };

/** Decides about tool calls. What it throws counts as a denial. */
export type PermissionPolicy = (request: PermissionRequest) => PermissionDecision | Promise<PermissionDecision>;

export const PASS: PermissionDecision = { type: "pass" };

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
      const denial = await firstDecision(policies.slice(0, index), current, ({ type }) => type === "deny");
      if (denial.type === "deny") return denial;
    }
    return decision;
  };
}

/** The first policy with an opinion decides; those after it are not asked. */
export function firstOf(...policies: readonly PermissionPolicy[]): PermissionPolicy {
  return (request) => firstDecision(policies, request, ({ type }) => type !== "pass");
}

async function firstDecision(
  policies: readonly PermissionPolicy[],
  request: PermissionRequest,
  isWanted: (decision: PermissionDecision) => boolean,
): Promise<PermissionDecision> {
  for (const policy of policies) {
    const decision = await policy(request);
    if (isWanted(decision)) return decision;
  }
  return PASS;
}
