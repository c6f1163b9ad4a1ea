import {
  RECORDING_MS,
  recordPresent,
  takeDirectory as take,
  type State,
  type TakenDirectory,
} from "../../trace/internal.ts";
import { findNestedWorkspaces, type Workspace } from "../../workspace/internal.ts";
import type { CommandContext } from "../define-command.ts";
import { fitLine, plainLine } from "../../terminal/index.ts";
import { shortId } from "./short-id.ts";

/** Takes the directory, and says what was cut off in it and is recorded now, and which workspaces lie inside it. */
export async function takeDirectory(
  workspace: Workspace,
  context: Pick<CommandContext, "notice">,
  options: { readonly waitMs?: number } = {},
): Promise<TakenDirectory> {
  const nested = await findNestedWorkspaces(workspace);
  const taken = await take(workspace, options);
  if (nested.length > 0) context.notice(nestedNotice(nested));
  for (const { state, transition } of taken.kept) {
    const prompt = fitLine(plainLine(transition.prompt.text), 40);
    context.notice(
      `A turn was cut off here and is kept as ${shortId(state.id)}: "${prompt}". Take it back: skein undo`,
    );
  }
  return taken;
}

/** Records the files as they are. Several searches may begin in one directory at once: each has it for a moment, and the next waits. */
export async function recordHere(workspace: Workspace, context: CommandContext): Promise<State> {
  await using _ = await takeDirectory(workspace, context, { waitMs: RECORDING_MS });
  return await recordPresent(workspace, context);
}

function nestedNotice(nested: readonly string[]): string {
  const named = nested.slice(0, NAMED).map(plainLine).join(", ");
  const others = nested.length > NAMED ? ` and ${nested.length - NAMED} more` : "";
  return `This workspace contains others, and records and restores their files with its own: ${named}${others}`;
}

const NAMED = 3;
