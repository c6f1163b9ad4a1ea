import type { ErrorRecord } from "../../core/index.ts";
import { ClaudeEngine, createSecretRedactor, type ClaudeOptions, type ClaudePrompt } from "../../engine/index.ts";
import { compareFiles, listFiles } from "./file-listing.ts";
import { showEvents, type EventSinks } from "./show-events.ts";
import { toTurnData, type TurnData } from "./turn-data.ts";

/** A turn to run without a record of it, and where it is shown. */
export interface TurnToRun extends EventSinks {
  readonly prompt: ClaudePrompt;
  readonly options: ClaudeOptions & { readonly cwd: string };
}

/** What a turn came to; a failed one has data too. */
export interface TurnOutcome {
  readonly data: TurnData;
  readonly error?: ErrorRecord;
}

/** Runs one turn that is not recorded: shows and emits its events, and looks at the directory before and after. */
export async function runTurn({ prompt, options, ...sinks }: TurnToRun): Promise<TurnOutcome> {
  const { cwd } = options;
  const before = await listFiles(cwd);
  const { events: redacted } = createSecretRedactor([sinks.context.env, options.env ?? {}]);
  const events = redacted(new ClaudeEngine().stream(prompt, { ...options, signal: sinks.context.signal }));
  const { value: result, tools, error } = await showEvents(events, sinks);
  const data = toTurnData(result, { tools, files: compareFiles(before, await listFiles(cwd)) });
  return error ? { data, error } : { data };
}
