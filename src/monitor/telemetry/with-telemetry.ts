import { context, metrics, trace, type MeterProvider, type TracerProvider } from "@opentelemetry/api";
import type { SkeinEvent, TurnResult, TurnStream } from "../../core/internal.ts";
import {
  type ClaudeOptions,
  createEngine,
  type Engine,
  engineSettingsKey,
  type EngineSession,
  type EnvVariables,
  type PromptInput,
  readPrompt,
  type TurnOptions,
} from "../../engine/internal.ts";
import { cliExport } from "./cli-export.ts";
import { SCOPE } from "./names.ts";
import { createTurnInstruments } from "./turn-instruments.ts";
import { TurnSpans } from "./turn-spans.ts";

/** Where telemetry goes, and how much it tells. */
export interface TelemetryOptions {
  /** Where spans come from; the one that the host registered by default, and nothing where it registered none. */
  readonly tracerProvider?: TracerProvider;
  /** Where counters and histograms come from; the one that the host registered by default. */
  readonly meterProvider?: MeterProvider;
  /** Whether spans hold prompts, answers, the arguments of tools and what they gave; off by default: they hold people's code and secrets. */
  readonly captureContent?: boolean;
  /** Whether the CLI exports telemetry of its own too, by the host's `OTEL_…` variables and into the same trace; off by default. */
  readonly exportFromCli?: boolean;
  /** The environment in which the host's `OTEL_…` variables are looked up. */
  readonly env?: EnvVariables;
}

/**
 * An engine whose turns are spans and measurements of OpenTelemetry, below what is active in the host: the agent, its responses, its tool
 * calls, its sub-agents. Where nobody registered a provider, it costs next to nothing.
 */
export function withTelemetry(engine: Engine, options: TelemetryOptions = {}): Engine {
  const tracer = (options.tracerProvider ?? trace.getTracerProvider()).getTracer(SCOPE);
  const meter = (options.meterProvider ?? metrics.getMeterProvider()).getMeter(SCOPE);
  const instruments = createTurnInstruments(meter);
  const { captureContent = false, exportFromCli = false, env = process.env } = options;
  const added = exportFromCli ? cliExport(env) : {};
  const withExport = (turn: ClaudeOptions): ClaudeOptions =>
    exportFromCli ? { ...turn, env: { ...added, ...turn.env } } : turn;

  async function* observe(
    run: (prompt: PromptInput) => TurnStream,
    input: PromptInput,
    { model, signal }: TurnOptions,
  ): TurnStream {
    const parent = context.active();
    const prompt = await readPrompt(input, signal);
    const spans = new TurnSpans({ tracer, instruments, parent, captureContent, prompt: prompt.text, model });
    return yield* readSpans(spans, () => run(prompt));
  }

  const open = engine.open?.bind(engine);
  return {
    ...createEngine((prompt, turn = {}) => observe((whole) => engine.stream(whole, withExport(turn)), prompt, turn)),
    settingsKey: (turn = {}) => engineSettingsKey(engine, withExport(turn)),
    ...(open
      ? {
          open: (base = {}) =>
            observeSession(open(withExport(base)), (session, prompt, turn) =>
              observe((whole) => session.stream(whole, turn), prompt, { ...turn, ...modelOf(turn, base) }),
            ),
        }
      : {}),
  };
}

/** Reads a turn's events in the context of its span: what is started meanwhile belongs to it. */
async function* readSpans(spans: TurnSpans, run: () => TurnStream): TurnStream {
  const within = <Value>(call: () => Value): Value => context.with(spans.context, call);
  const events = within(run);
  let failure: unknown;
  try {
    for (;;) {
      const step: IteratorResult<SkeinEvent, TurnResult> = await within(() => events.next());
      if (step.done) return step.value;
      spans.read(step.value);
      yield step.value;
    }
  } catch (error) {
    failure = error;
    throw error;
  } finally {
    // A reader who left: the turn is told so, and ends.
    await within(() => events.return(undefined as never)).catch(() => undefined);
    spans.close(failure);
  }
}

type RunInSession = (session: EngineSession, prompt: PromptInput, turn: TurnOptions) => TurnStream;

function observeSession(session: EngineSession, run: RunInSession): EngineSession {
  const { addPrompt, setModel, setPermissionMode } = session;
  return {
    stream: (prompt, turn = {}) => run(session, prompt, turn),
    ...(addPrompt ? { addPrompt: addPrompt.bind(session) } : {}),
    ...(setModel ? { setModel: setModel.bind(session) } : {}),
    ...(setPermissionMode ? { setPermissionMode: setPermissionMode.bind(session) } : {}),
    [Symbol.asyncDispose]: async () => await session[Symbol.asyncDispose](),
  };
}

function modelOf(turn: TurnOptions, base: ClaudeOptions): Pick<TurnOptions, "model"> {
  const model = turn.model ?? base.model;
  return model === undefined ? {} : { model };
}
