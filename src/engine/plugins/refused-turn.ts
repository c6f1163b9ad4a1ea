import { failedResult, isoTime, SkeinError, type Clock, type TurnEndEvent } from "../../core/index.ts";
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
      ...failedResult(error, { sessionId: turn.options.resume, model: turn.options.model }),
      terminalReason: "refused",
    },
  };
}
