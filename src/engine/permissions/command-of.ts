import type { PermissionRequest } from "./permission-policy.ts";

/** The command line that a call runs, if it runs one. */
export function commandOf({ tool, input }: PermissionRequest): string | undefined {
  const runs = tool === "Bash" || tool === "Monitor";
  return runs && typeof input["command"] === "string" ? input["command"] : undefined;
}
