import { isoTime, NO_USAGE, SkeinError, type Clock, type TurnEndEvent } from "../../core/index.ts";
import type { PluginTurn, SkeinPlugin, TurnRefusal } from "./skein-plugin.ts";

/** The end of a turn that a plugin did not let begin. */
export function refusedTurn(
  { refuse, kind, hint }: TurnRefusal,
  context: { readonly plugin: SkeinPlugin; readonly turn: PluginTurn; readonly clock: Clock },
): TurnEndEvent {
  const { plugin, turn, clock } = context;
  const error = new SkeinError(refuse, { kind: kind ?? "policy", target: plugin.name, hint });
  return {
    type: "turn-end",
    timestamp: isoTime(clock.now()),
    result: {
      text: "",
      sessionId: turn.options.resume ?? "",
      isError: true,
      error: error.toJSON(),
      terminalReason: "refused",
      usage: NO_USAGE,
      usageByModel: {},
      costUsd: 0,
      durationMs: 0,
      turns: 0,
      model: turn.options.model ?? "",
      permissionDenials: [],
    },
  };
}
