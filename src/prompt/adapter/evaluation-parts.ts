import {
  createUsageMeter,
  defined,
  SkeinError,
  type BudgetEnd,
  type Clock,
  type UsageMeter,
} from "../../core/index.ts";
import type { Workspace } from "../../workspace/index.ts";
import { isSectionsOpened, MAX_OPENINGS } from "../disclosure.ts";
import { createOutputShape, type OutputShape } from "../output/output-shape.ts";
import type { RenderedPrompt } from "../rendered-prompt.ts";
import type { AnyTool } from "../tool.ts";
import type { ToolCall } from "../tool-policy.ts";
import type { ToolRunner } from "../tools/tool-bridge.ts";
import { createCallTransactions } from "../transactions/call-transactions.ts";
import type { AdapterOptions, EvaluateOptions } from "./adapter-options.ts";
import { createCallLog } from "./call-log.ts";
import { createCompletionGate, type CompletionGate } from "./completion-gate.ts";
import type { EvaluationEvents } from "./evaluation-events.ts";
import type { HookParts } from "./evaluation-hooks.ts";
import type { Limits } from "./limits.ts";
import { createToolRunner } from "./tool-runner.ts";

/** How often an agent is sent back to work that is not complete, by default. */
const DEFAULT_ROUNDS = 5;

/** What an evaluation is put together for. */
export interface EvaluationPlan<Output> {
  readonly adapter: AdapterOptions;
  readonly options: EvaluateOptions;
  readonly rendered: RenderedPrompt<Output>;
  readonly shape: OutputShape<Output> | undefined;
  readonly limits: Limits;
  readonly events: EvaluationEvents;
  readonly workspace: Workspace;
  readonly clock: Clock;
}

/** What lasts through all turns of an evaluation. */
export interface EvaluationParts<Output> extends EvaluationPlan<Output> {
  readonly hooks: HookParts;
  readonly gate: CompletionGate;
  readonly meter: UsageMeter;
  readonly runner: ToolRunner;
  /** Aborted when the evaluation has to end, for whatever reason. */
  readonly signal: AbortSignal;
  readonly ending: Ending;
  /** Ends it with an error. */
  readonly fail: (error: SkeinError) => void;
  /** Tells handlers that still run that nobody waits for them. */
  readonly close: () => void;
  /** Says which tools the next turn has. */
  readonly offer: (tools: readonly AnyTool[]) => void;
  /** The sections that the model asked for in the last turn, by path; forgets them. */
  readonly takeOpened: () => readonly string[];
}

/** Why an evaluation was ended by us, where it was. */
export interface Ending {
  exhausted?: BudgetEnd;
  failure?: SkeinError;
}

/** The shape of a prompt's answer; undefined for one that asks for none. */
export function shapeOf<Output>({ output, descriptor }: RenderedPrompt<Output>): OutputShape<Output> | undefined {
  return output && createOutputShape(output, `${descriptor.ns}/${descriptor.key}`);
}

/** Puts an evaluation together. */
export function assemble<Output>(plan: EvaluationPlan<Output>): EvaluationParts<Output> {
  const { adapter, rendered, shape, limits, events, workspace, clock, options } = plan;
  const { session } = options;
  const { signal, ending, fail, close } = createEnding(options.signal);
  const log = createCallLog((report) => events.toolInvoked(report));
  const { offer, isTransaction } = markTransactions(adapter.transactions ?? false);
  const transactions = createCallTransactions({ session, workspace, isTransaction });
  const gate = createCompletionGate({
    checkers: rendered.checkers,
    maxRounds: adapter.maxRounds ?? DEFAULT_ROUNDS,
    context: { session, path: workspace.path, signal },
    isOver: () => signal.aborted || limits.exhausted() !== undefined,
  });
  const context = {
    session,
    workspace,
    resources: rendered.resources,
    signal,
    ...defined({ deadline: limits.deadline }),
    ...(limits.tracker ? { budget: limits.tracker } : {}),
  };
  const { onValue, takeOpened } = collectOpened();
  const hooks: HookParts = {
    log,
    transactions,
    policies: [...rendered.policies, ...(adapter.policies ?? [])],
    policyContext: { session, cwd: workspace.path, signal },
    limits,
    gate,
    shape,
    stopOnStructuredOutput: adapter.stopOnStructuredOutput ?? true,
    onValue,
    onExhausted: (end) => (ending.exhausted ??= end),
    onFailure: fail,
  };
  const runner = createToolRunner({ context, transactions, log, idleTimeoutMs: adapter.toolIdleTimeoutMs, clock });
  return { ...plan, hooks, gate, meter: createUsageMeter(), runner, signal, ending, fail, close, offer, takeOpened };
}

function createEnding(
  given: AbortSignal | undefined,
): Pick<EvaluationParts<unknown>, "signal" | "ending" | "fail" | "close"> {
  const over = new AbortController();
  const ending: Ending = {};
  return {
    signal: given ? AbortSignal.any([given, over.signal]) : over.signal,
    ending,
    fail: (error) => {
      ending.failure ??= error;
      over.abort(error);
    },
    close: () => over.abort(new SkeinError("The evaluation is over", { kind: "cancelled" })),
  };
}

/** Every call that may write files, or only those of tools that ask for it. */
function markTransactions(all: boolean): {
  readonly offer: (tools: readonly AnyTool[]) => void;
  readonly isTransaction: (call: ToolCall) => boolean;
} {
  let marked: ReadonlySet<string> = new Set();
  return {
    offer: (tools) => (marked = new Set(tools.filter((tool) => tool.isTransaction).map(({ name }) => name))),
    isTransaction: ({ tool, isBridged }) => all || (isBridged && marked.has(tool)),
  };
}

/** A turn in which sections are opened ends there, so that the next one has their tools; one that opens and opens goes on. */
function collectOpened(): Pick<HookParts, "onValue"> & Pick<EvaluationParts<unknown>, "takeOpened"> {
  let opened: readonly string[] = [];
  let openings = 0;
  return {
    onValue(value) {
      if (!isSectionsOpened(value) || openings >= MAX_OPENINGS) return false;
      opened = [...opened, ...value.sections];
      return true;
    },
    takeOpened() {
      const taken = opened;
      opened = [];
      if (taken.length > 0) openings += 1;
      return taken;
    },
  };
}
