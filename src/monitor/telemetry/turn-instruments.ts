import type { Attributes, Meter } from "@opentelemetry/api";
import type { ToolEndEvent, TurnResult, Usage } from "../../core/internal.ts";
import { GEN_AI, PROVIDER, SKEIN } from "./names.ts";

/** The counters and histograms that turns are added to. */
export type TurnInstruments = ReturnType<typeof createTurnInstruments>;

/** Makes the instruments; a meter of nobody's makes ones that do nothing. */
export function createTurnInstruments(meter: Meter) {
  const tokens = meter.createHistogram("gen_ai.client.token.usage", {
    unit: "{token}",
    description: "Tokens of a turn, sub-agents included",
  });
  const duration = meter.createHistogram("gen_ai.client.operation.duration", {
    unit: "s",
    description: "How long a turn, a response or a tool call took",
  });
  const cost = meter.createCounter("skein.turn.cost", {
    unit: "{USD}",
    description: "Money that turns cost; turns of the offline model are left out, nobody paid them",
  });
  return {
    /** Adds a turn that is over. */
    turn(result: TurnResult): void {
      const about: Attributes = {
        ...operation("invoke_agent"),
        [GEN_AI.requestModel]: result.model,
        ...failed(result),
      };
      duration.record(result.durationMs / 1000, about);
      for (const [model, usage] of Object.entries(result.usageByModel)) {
        for (const [type, count] of tokensByType(usage)) {
          tokens.record(count, { ...operation("chat"), [GEN_AI.requestModel]: model, [GEN_AI.tokenType]: type });
        }
      }
      if (result.offline !== true) cost.add(result.costUsd, { [GEN_AI.requestModel]: result.model });
    },
    /** Adds a response that took so long. */
    response(model: string, durationMs: number): void {
      duration.record(durationMs / 1000, { ...operation("chat"), [GEN_AI.requestModel]: model });
    },
    /** Adds a tool call that is over. */
    tool(call: ToolEndEvent): void {
      duration.record(call.durationMs / 1000, {
        ...operation("execute_tool"),
        [GEN_AI.toolName]: call.tool,
        ...toolFailure(call),
      });
    },
  };
}

/** What is wrong with a tool call, as an attribute; nothing where it went well. */
export function toolFailure({ isError, isDenied }: Pick<ToolEndEvent, "isError" | "isDenied">): Attributes {
  if (isDenied) return { [GEN_AI.errorType]: "denied" };
  return isError ? { [GEN_AI.errorType]: "tool_error" } : {};
}

/** The attributes that say what kind of work something is. */
export function operation(name: "invoke_agent" | "chat" | "execute_tool" | "invoke_workflow"): Attributes {
  return { [GEN_AI.operation]: name, [GEN_AI.provider]: PROVIDER };
}

/** The tokens of a response or a turn; what the cache gave is input too, as the conventions count. */
export function usageAttributes(usage: Usage): Attributes {
  return {
    [GEN_AI.inputTokens]: inputTokens(usage),
    [GEN_AI.outputTokens]: usage.outputTokens,
    [GEN_AI.cacheReadTokens]: usage.cacheReadTokens,
    [GEN_AI.cacheCreationTokens]: usage.cacheWriteTokens,
  };
}

/** What a turn cost, as attributes. */
export function costAttributes({ costUsd, offline, isLowerBound, responses }: TurnResult): Attributes {
  return {
    [SKEIN.costUsd]: costUsd,
    [SKEIN.responses]: responses,
    ...(offline ? { [SKEIN.offline]: true } : {}),
    ...(isLowerBound ? { [SKEIN.isLowerBound]: true } : {}),
  };
}

function tokensByType(usage: Usage): readonly (readonly [string, number])[] {
  return [
    ["input", inputTokens(usage)],
    ["output", usage.outputTokens],
  ];
}

function inputTokens({ inputTokens: fresh, cacheReadTokens, cacheWriteTokens }: Usage): number {
  return fresh + cacheReadTokens + cacheWriteTokens;
}

function failed({ isError, error }: TurnResult): Attributes {
  return isError ? { [GEN_AI.errorType]: error?.kind ?? "runtime" } : {};
}
