import { keepInterruptedTurns, recordPresent, type State } from "../../trace/index.ts";
import { findNestedWorkspaces, type Workspace } from "../../workspace/index.ts";
import type { CommandContext } from "../command-context.ts";
import { fitLine, plainLine } from "../plain-text.ts";
import { shortId } from "./short-id.ts";

/** Turns that were cut off, as they were recorded. */
export type KeptTurns = Awaited<ReturnType<typeof keepInterruptedTurns>>;

/** Longer than it takes to record the files of a large directory; a turn takes longer still. */
const PATIENCE_MS = 10_000;

/** Takes the directory for some work. Turns that were cut off in it are recorded first, while the files are as they left them. */
export async function takeDirectory<T>(
  workspace: Workspace,
  context: CommandContext,
  work: (kept: KeptTurns) => Promise<T>,
): Promise<T> {
  await using _ = await workspace.claim();
  return await inTaken(workspace, context, work);
}

/** Records the files as they are. Several searches may begin in one directory at once: each has it for a moment, and the next waits. */
export async function recordInTurn(workspace: Workspace, context: CommandContext): Promise<State> {
  await using _ = await workspace.claim({ waitMs: PATIENCE_MS });
  return await inTaken(workspace, context, () => recordPresent(workspace, context));
}

async function inTaken<T>(
  workspace: Workspace,
  context: CommandContext,
  work: (kept: KeptTurns) => Promise<T>,
): Promise<T> {
  const nested = await findNestedWorkspaces(workspace);
  if (nested.length > 0) context.notice(nestedNotice(nested));
  const kept = await keepInterruptedTurns(workspace);
  for (const { state, transition } of kept) {
    const prompt = fitLine(plainLine(transition.prompt.text), 40);
    context.notice(
      `A turn was cut off here and is kept as ${shortId(state.id)}: "${prompt}". Take it back: skein undo`,
    );
  }
  return await work(kept);
}

function nestedNotice(nested: readonly string[]): string {
  const named = nested.slice(0, NAMED).map(plainLine).join(", ");
  const others = nested.length > NAMED ? ` and ${nested.length - NAMED} more` : "";
  return `This workspace contains others, and records and restores their files with its own: ${named}${others}`;
}

const NAMED = 3;
