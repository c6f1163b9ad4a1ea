import { context, SpanKind, SpanStatusCode, trace, type Attributes } from "@opentelemetry/api";
import { SkeinError } from "../../core/internal.ts";
import type { Environment, Exploration, StepOutcome } from "../../search/internal.ts";
import { GEN_AI, SCOPE, SKEIN } from "./names.ts";
import { operation } from "./turn-instruments.ts";
import type { TelemetryOptions } from "./with-telemetry.ts";

/**
 * An environment whose explorations are spans: each branch of a search below what was active when the search began, and the branch's turn
 * below it, where its engine is one of `withTelemetry`.
 */
export function traceEnvironment<State, Step extends StepOutcome>(
  environment: Environment<State, Step>,
  { tracerProvider = trace.getTracerProvider() }: Pick<TelemetryOptions, "tracerProvider"> = {},
): Environment<State, Step> {
  const tracer = tracerProvider.getTracer(SCOPE);
  const recall = environment.recall?.bind(environment);
  return {
    checkpoint: async (name) => await environment.checkpoint(name),
    restore: async (state) => await environment.restore(state),
    keyOf: (state) => environment.keyOf(state),
    ...(recall ? { recall } : {}),
    [Symbol.asyncDispose]: async () => await environment[Symbol.asyncDispose](),
    async exploreFrom(state, prompt, options) {
      const attributes = { ...operation("invoke_workflow"), [SKEIN.stateBefore]: environment.keyOf(state) };
      const span = tracer.startSpan("invoke_workflow branch", { kind: SpanKind.INTERNAL, attributes });
      const within = trace.setSpan(context.active(), span);
      try {
        const found = await context.with(within, () => environment.exploreFrom(state, prompt, options));
        span.setAttributes({ [SKEIN.stateAfter]: environment.keyOf(found.state), ...outcome(found) });
        if (found.transition.execution.isError) span.setStatus({ code: SpanStatusCode.ERROR });
        return found;
      } catch (error) {
        const type = error instanceof SkeinError ? error.kind : "runtime";
        span.setAttribute(GEN_AI.errorType, type).setStatus({ code: SpanStatusCode.ERROR });
        throw error;
      } finally {
        span.end();
      }
    },
  };
}

function outcome<State, Step extends StepOutcome>({ transition, reward }: Exploration<State, Step>): Attributes {
  return {
    [SKEIN.costUsd]: transition.execution.costUsd,
    ...(reward === undefined ? {} : { [GEN_AI.evaluationName]: "reward", [GEN_AI.evaluationValue]: reward.value }),
  };
}
