import { realpath } from "node:fs/promises";
import { homedir } from "node:os";
import { resolve } from "node:path";
import { dataHome, isInside } from "../../core/index.ts";
import type { Confinement } from "../command/confinement.ts";
import { usageError } from "../command/parse-args.ts";
import type { Powers } from "./mcp-powers.ts";

/** What a person has allowed a server to do. */
export interface McpFlags extends Powers {
  /** The folder that the calls work in. */
  readonly root: string;
  readonly maxCostUsd: number;
}

/** The bounds of a server: where its calls work, what they may do, and what is left to be spent. */
export interface McpBounds {
  readonly root: string;
  readonly powers: Powers;
  readonly confinement: Confinement;
  readonly maxCostUsd: number;
}

/** Finds the bounds. A root that holds the home or Skein's own records would bound nothing. */
export async function findBounds({ root: given, maxCostUsd, ...powers }: McpFlags): Promise<McpBounds> {
  const root = await realpath(given);
  if (!powers.allowOutside) await checkRoot(root);
  const confinement = {
    isolates: !powers.allowUnconfined,
    ...(powers.allowOutside ? {} : { root }),
  };
  return { root, powers, confinement, maxCostUsd };
}

async function checkRoot(root: string): Promise<void> {
  for (const path of [homedir(), dataHome()]) {
    const real = await realpath(path).catch(() => resolve(path));
    if (!isInside(real, root)) continue;
    throw usageError("mcp", `${root} cannot be the root: ${real} lies in it`, {
      target: "--root",
      hint: "Start skein mcp in the folder of a project, or name one with --root",
    });
  }
}
