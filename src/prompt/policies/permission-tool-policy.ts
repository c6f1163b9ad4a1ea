import { pathScope, type PathScopeOptions, type PermissionPolicy } from "../../engine/index.ts";
import type { ToolPolicy } from "../tool-policy.ts";

/** A permission policy of the engine as a policy of a prompt: its denials hold, and its other opinions do not count. */
export function permissionToolPolicy(name: string, policyFor: (cwd: string) => PermissionPolicy): ToolPolicy {
  return {
    name,
    async check({ tool, input, callId }, { cwd, signal }) {
      const decision = await policyFor(cwd)({ tool, input, toolUseId: callId, signal });
      return decision.type === "deny" ? { denied: decision.message } : undefined;
    },
  };
}

/** Which further paths file tools may go to, and which tools of the prompt are file tools too. */
export interface StayInsideOptions extends Omit<PathScopeOptions, "root"> {
  /** Tools of the prompt whose argument is a path: name and argument. */
  readonly paths?: Readonly<Record<string, string>>;
}

/** File tools stay in the directory that the agent works in, and in what is allowed beside it: `pathScope` of the engine. */
export function stayInside({ paths = {}, ...options }: StayInsideOptions = {}): ToolPolicy {
  const policy = permissionToolPolicy("stay-inside", (cwd) => pathScope({ ...options, root: cwd }));
  return {
    name: policy.name,
    async check(call, context) {
      const key = call.isBridged && Object.hasOwn(paths, call.tool) ? paths[call.tool] : undefined;
      if (key === undefined) return await policy.check(call, context);
      // To the scope, whatever takes a path is a tool that reads it.
      const found = await policy.check({ ...call, tool: "Read", input: { file_path: call.input[key] } }, context);
      return found && { denied: found.denied.replace(/^Read was/u, `${call.tool} was`) };
    },
  };
}
