import { realpath } from "node:fs/promises";
import { homedir } from "node:os";
import { resolve } from "node:path";
import { dataHome, isInside } from "../../core/internal.ts";
import type { CallContext } from "../command/command.ts";
import { usageError } from "../command/parse-args.ts";
import type { Powers } from "./mcp-tools.ts";

/** Serves the tools until the input ends, within bounds. The MCP SDK is loaded only here: no other command has to wait for it. */
export async function serveMcp(
  context: CallContext,
  { root: given, maxCostUsd, ...powers }: Powers & { readonly root: string; readonly maxCostUsd: number },
): Promise<{ readonly calls: number; readonly failed: number }> {
  const root = await realpath(given);
  if (!powers.allowOutside) await checkRoot(root);
  const confinement = { isolates: !powers.allowUnconfined, ...(powers.allowOutside ? {} : { root }) };
  const { runMcpServer } = await import("./mcp-server.ts");
  return await runMcpServer(context, { root, powers, confinement, maxCostUsd });
}

/** A root that holds the home or Skein's own records would bound nothing. */
async function checkRoot(root: string): Promise<void> {
  for (const path of [homedir(), dataHome()]) {
    const real = await realpath(path).catch(() => resolve(path));
    if (!isInside(real, root)) continue;
    throw usageError("mcp", `${root} cannot be the root: ${real} lies in it`, {
      target: "--root",
      hint: "Start skein mcp in the folder of a project, or name one with `root`",
    });
  }
}
