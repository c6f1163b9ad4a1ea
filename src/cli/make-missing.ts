import { mkdir, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { confirm } from "@clack/prompts";
import { checkTextPath, SkeinError } from "../core/internal.ts";
import { plainLine } from "../terminal/index.ts";
import { switchFlag } from "./common-flags.ts";
import type { CommandContext } from "./define-command.ts";
import { unusableFolder } from "./open-workspace.ts";

/** For commands that run agents: a folder that is missing was mistyped, or is to be begun. */
export const createFlag = switchFlag("Make the folder that --cwd names, if it is missing");

/** Makes the folder that an agent is to work in where it is missing: with `--create`, or when the person at the terminal says so. */
export async function makeMissing(
  { cwd, create }: { readonly cwd?: string | undefined; readonly create: boolean },
  context: CommandContext,
): Promise<void> {
  // A model makes no folders by this: what it may write is its agent's matter.
  if (cwd === undefined || context.confinement?.root !== undefined) return;
  const target = checkTextPath(resolve(cwd));
  const missing = await stat(target).then(
    () => undefined,
    (error: NodeJS.ErrnoException) => (error.code === "ENOENT" ? error : undefined),
  );
  if (!missing) return;
  if (!create && !(await askToMake(target, context))) {
    throw unusableFolder(target, { cause: missing, hint: "Add `create` to make it, or name another." });
  }
  await mkdir(target, { recursive: true }).catch((cause: Error) => {
    throw unusableFolder(target, { cause, hint: "Name a folder that can be made." });
  });
}

async function askToMake(target: string, { format, terminal, signal }: CommandContext): Promise<boolean> {
  if (format !== "text" || !terminal.canAsk) return false;
  const answer = await confirm({ message: `There is no ${plainLine(target)}. Make it?`, initialValue: false, signal });
  if (signal.aborted) throw new SkeinError("Interrupted", { kind: "cancelled" });
  return answer === true;
}
