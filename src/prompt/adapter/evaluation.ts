import { createUsageMeter, SkeinError, type BudgetEnd, type Clock } from "../../core/internal.ts";
import type { Workspace } from "../../workspace/internal.ts";
import { createCompletionGate } from "../completion/completion-gate.ts";
import type { OutputShape } from "../output/output-shape.ts";
import { isSectionsOpened, MAX_OPENINGS } from "../template/disclosure.ts";
import type { Prompt } from "../template/prompt.ts";
import type { AdapterOptions, EvaluateOptions } from "./adapter-options.ts";
import { createCallLog } from "./call-log.ts";
import { createCallTransactions } from "./call-transactions.ts";
import type { EvaluationEvents } from "./evaluation-events.ts";
import type { Limits } from "./limits.ts";

const DEFAULT_ROUNDS = 5;

/** One evaluation, through all its turns; `rendered` is the prompt of the first. */
export type Evaluation<Output = unknown> = ReturnType<typeof beginEvaluation<Output>>;

export function beginEvaluation<Output>(start: {
  readonly prompt: Prompt<Output>;
  readonly adapter: AdapterOptions;
  readonly options: EvaluateOptions;
  readonly shape: OutputShape<Output> | undefined;
  readonly limits: Limits;
  readonly events: EvaluationEvents;
  readonly workspace: Workspace;
  readonly clock: Clock;
}) {
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
    transactions: createCallTransactions(
      { session, workspace },
      ({ tool, isBridged }) => (adapter.transactions ?? false) || (isBridged && marked.has(tool)),
    ),
    gate: createCompletionGate(
      rendered.checkers,
      { session, path: workspace.path, signal },
      {
        maxRounds: adapter.maxRounds ?? DEFAULT_ROUNDS,
        isOver: () => signal.aborted || limits.exhausted() !== undefined,
      },
    ),
    meter: createUsageMeter(),
    openings: createOpenings(),
    ending,
  };
}

interface Ending {
  /** Aborted when the evaluation has to end, for whatever reason. */
  readonly signal: AbortSignal;
  exhausted?: BudgetEnd;
  failure?: SkeinError;
  fail(error: SkeinError): void;
  /** Tells handlers that still run that nobody waits for them. */
  close(): void;
}

function createEnding(given: AbortSignal | undefined): Ending {
  const over = new AbortController();
  return {
    signal: given ? AbortSignal.any([given, over.signal]) : over.signal,
    fail(error) {
      this.failure ??= error;
      over.abort(error);
    },
    close: () => over.abort(new SkeinError("The evaluation is over", { kind: "cancelled" })),
  };
}

/** What the model opens. One that opens and opens goes on without. */
function createOpenings() {
  let opened: readonly string[] = [];
  let openings = 0;
  return {
    /** Told of the values of bridged calls; true for one that the turn ends with, so that the next one has the sections' tools. */
    note(value: unknown): boolean {
      if (!isSectionsOpened(value) || openings >= MAX_OPENINGS) return false;
      opened = [...opened, ...value.sections];
      return true;
    },
    /** The sections that were asked for in the last turn, by path; forgets them. */
    take(): readonly string[] {
      const taken = opened;
      opened = [];
      if (taken.length > 0) openings += 1;
      return taken;
    },
  };
}
