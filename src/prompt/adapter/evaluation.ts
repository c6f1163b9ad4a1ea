import { createUsageMeter, SkeinError, type BudgetEnd, type Clock, type UsageMeter } from "../../core/index.ts";
import type { Workspace } from "../../workspace/index.ts";
import { createCompletionGate, type CompletionGate } from "../completion/completion-gate.ts";
import type { OutputShape } from "../output/output-shape.ts";
import { isSectionsOpened, MAX_OPENINGS } from "../template/disclosure.ts";
import type { Prompt } from "../template/prompt.ts";
import type { RenderedPrompt } from "../template/render-prompt.ts";
import type { ToolPolicy } from "../tools/tool-policy.ts";
import type { AdapterOptions, EvaluateOptions } from "./adapter-options.ts";
import { createCallLog, type CallLog } from "./call-log.ts";
import { createCallTransactions, type CallTransactions } from "./call-transactions.ts";
import type { EvaluationEvents } from "./evaluation-events.ts";
import type { Limits } from "./limits.ts";

/** How often an agent is sent back to work that is not complete, by default. */
const DEFAULT_ROUNDS = 5;

/** What an evaluation is begun with. */
export interface EvaluationStart<Output> {
  readonly prompt: Prompt<Output>;
  readonly adapter: AdapterOptions;
  readonly options: EvaluateOptions;
  readonly shape: OutputShape<Output> | undefined;
  readonly limits: Limits;
  readonly events: EvaluationEvents;
  readonly workspace: Workspace;
  readonly clock: Clock;
}

/** One evaluation, through all its turns. */
export interface Evaluation<Output = unknown> extends EvaluationStart<Output> {
  /** The prompt of the first turn. */
  readonly rendered: RenderedPrompt<Output>;
  readonly policies: readonly ToolPolicy[];
  readonly log: CallLog;
  readonly transactions: CallTransactions;
  readonly gate: CompletionGate;
  readonly meter: UsageMeter;
  readonly openings: Openings;
  readonly ending: Ending;
}

/** Begins an evaluation. */
export function beginEvaluation<Output>(start: EvaluationStart<Output>): Evaluation<Output> {
  const { prompt, adapter, limits, events, workspace, options } = start;
  const { session } = options;
  const rendered = prompt.render();
  const ending = createEnding(options.signal);
  const { signal } = ending;
  const tools = prompt.template.placed.flatMap(({ section }) => section.tools);
  const marked = new Set(tools.filter((tool) => tool.isTransaction).map(({ name }) => name));
  return {
    ...start,
    rendered,
    policies: [...rendered.policies, ...(adapter.policies ?? [])],
    log: createCallLog((report) => events.toolInvoked(report)),
    transactions: createCallTransactions({
      session,
      workspace,
      isTransaction: ({ tool, isBridged }) => (adapter.transactions ?? false) || (isBridged && marked.has(tool)),
    }),
    gate: createCompletionGate(rendered.checkers, {
      maxRounds: adapter.maxRounds ?? DEFAULT_ROUNDS,
      context: { session, path: workspace.path, signal },
      isOver: () => signal.aborted || limits.exhausted() !== undefined,
    }),
    meter: createUsageMeter(),
    openings: createOpenings(),
    ending,
  };
}

/** How an evaluation is ended by us, and why it was. */
export interface Ending {
  /** Aborted when the evaluation has to end, for whatever reason. */
  readonly signal: AbortSignal;
  exhausted?: BudgetEnd;
  failure?: SkeinError;
  /** Ends it with an error. */
  readonly fail: (error: SkeinError) => void;
  /** Tells handlers that still run that nobody waits for them. */
  readonly close: () => void;
}

function createEnding(given: AbortSignal | undefined): Ending {
  const over = new AbortController();
  const ending: Ending = {
    signal: given ? AbortSignal.any([given, over.signal]) : over.signal,
    fail(error) {
      ending.failure ??= error;
      over.abort(error);
    },
    close: () => over.abort(new SkeinError("The evaluation is over", { kind: "cancelled" })),
  };
  return ending;
}

/** What the model opens. */
export interface Openings {
  /** Told of the values of bridged calls; true for one that the turn ends with, so that the next one has the sections' tools. */
  readonly note: (value: unknown) => boolean;
  /** The sections that were asked for in the last turn, by path; forgets them. */
  readonly take: () => readonly string[];
}

/** A model that opens and opens goes on without. */
function createOpenings(): Openings {
  let opened: readonly string[] = [];
  let openings = 0;
  return {
    note(value) {
      if (!isSectionsOpened(value) || openings >= MAX_OPENINGS) return false;
      opened = [...opened, ...value.sections];
      return true;
    },
    take() {
      const taken = opened;
      opened = [];
      if (taken.length > 0) openings += 1;
      return taken;
    },
  };
}
