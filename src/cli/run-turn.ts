import type { ErrorRecord, TurnResult } from "../core/index.ts";
import { ClaudeEngine, type ClaudeOptions, type ClaudePrompt } from "../engine/index.ts";
import type { CommandContext } from "./command-context.ts";
import { compareFiles, listFiles } from "./file-listing.ts";
import { countTool, type ToolCount } from "./tool-tally.ts";
import { toTurnData, type TurnData } from "./turn-data.ts";
import type { TurnView } from "./turn-view.ts";

/** A turn to run, and where it is shown. */
export interface TurnToRun {
  readonly prompt: ClaudePrompt;
  readonly options: ClaudeOptions & { readonly cwd: string };
  readonly view: TurnView;
  readonly context: CommandContext;
  /** A line for standard error, once the turn has begun. */
  readonly notice?: string;
}

/** What a turn came to; a failed one has data too. */
export interface TurnOutcome {
  readonly data: TurnData;
  readonly error?: ErrorRecord;
}

/** Runs one turn: shows and emits its events, and looks at the directory before and after. */
export async function runTurn(turn: TurnToRun): Promise<TurnOutcome> {
  const { cwd } = turn.options;
  const before = await listFiles(cwd);
  const { result, tools } = await showTurn(turn);
  const data = toTurnData(result, { tools, files: compareFiles(before, await listFiles(cwd)) });
  return result.error ? { data, error: result.error } : { data };
}

async function showTurn({ prompt, options, view, context, notice }: TurnToRun): Promise<{
  readonly result: TurnResult;
  readonly tools: readonly ToolCount[];
}> {
  let tools: readonly ToolCount[] = [];
  view.begin();
  try {
    const events = new ClaudeEngine().stream(prompt, { ...options, signal: context.signal });
    for (;;) {
      const { done, value } = await events.next();
      if (done) return { result: value, tools };
      if (value.type === "turn-start" && notice !== undefined) {
        view.pause();
        context.notice(notice);
      }
      tools = countTool(tools, value);
      await context.emit(value);
      await view.show(value);
    }
  } finally {
    view.pause();
  }
}
