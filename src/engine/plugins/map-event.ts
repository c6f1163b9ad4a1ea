import { SkeinError, type SkeinEvent } from "../../core/index.ts";
import type { HookCaller } from "./hook-caller.ts";
import type { Answer, PluginTurn, SkeinPlugin } from "./skein-plugin.ts";

/** What becomes of an event on its way through the plugins, each of which is given what the one before handed on. */
export async function mapEvent(
  event: SkeinEvent,
  context: { readonly plugins: readonly SkeinPlugin[]; readonly caller: HookCaller; readonly turn: PluginTurn },
): Promise<readonly SkeinEvent[]> {
  const { plugins, caller, turn } = context;
  let events: readonly SkeinEvent[] = [event];
  for (const plugin of plugins) {
    if (!plugin.onMessage) continue;
    const handedOn: SkeinEvent[] = [];
    for (const one of events) {
      const run = (): Answer<readonly SkeinEvent[]> => handOn(one, plugin.onMessage?.(one, turn));
      handedOn.push(...(await caller.call({ plugin, name: "onMessage", run }, [one])));
    }
    events = handedOn;
  }
  return events;
}

type Mapped = SkeinEvent | readonly SkeinEvent[] | undefined;

/** A promise only where the plugin made one: most events pass many plugins that answer at once. */
function handOn(event: SkeinEvent, answer: Answer<Mapped>): Answer<readonly SkeinEvent[]> {
  return answer instanceof Promise ? answer.then((mapped) => checked(event, mapped)) : checked(event, answer);
}

/** A turn begins once and ends once, whatever plugins do: nothing comes before its start or after its end. */
function checked(event: SkeinEvent, mapped: Mapped): readonly SkeinEvent[] {
  const events = mapped ? [mapped].flat() : [];
  const bounds = events.filter(isBound).map(({ type }) => type);
  const expected = isBound(event) ? event.type : "";
  if (bounds.join() !== expected) {
    throw new SkeinError(`onMessage turned ${event.type} into ${bounds.join(", ") || "nothing"}`, { kind: "usage" });
  }
  const isInPlace = event.type === "turn-end" ? events.at(-1)?.type === event.type : events[0]?.type === event.type;
  if (expected && !isInPlace) throw new SkeinError("onMessage put an event outside the turn", { kind: "usage" });
  return events;
}

function isBound({ type }: SkeinEvent): boolean {
  return type === "turn-start" || type === "turn-end";
}
