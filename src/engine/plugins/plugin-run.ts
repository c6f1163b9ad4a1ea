import {
  SkeinError,
  createId,
  failedResult,
  isoTime,
  type SkeinEvent,
  type TurnEndEvent,
  type TurnResult,
} from "../../core/internal.ts";
import type { ClaudeOptions } from "../options/claude-options.ts";
import type { ClaudePrompt } from "../prompts/claude-prompt.ts";
import { createHookCaller, type HookCaller } from "./hook-caller.ts";
import type {
  Answer,
  PluginSettings,
  PluginTurn,
  SkeinPlugin,
  TurnChange,
  TurnRefusal,
  TurnRetry,
} from "./skein-plugin.ts";

/** The plugins' part in one turn, moment by moment. */
export class PluginRun {
  readonly #settings: PluginSettings;
  readonly #caller: HookCaller;
  readonly #haveRetried = new Set<SkeinPlugin>();
  #turn: PluginTurn;
  #hasEnded = false;

  constructor(prompt: ClaudePrompt, options: ClaudeOptions, settings: PluginSettings) {
    this.#settings = settings;
    this.#caller = createHookCaller(settings);
    this.#turn = { id: createId(settings.clock), prompt, options, attempt: 1 };
  }

  get turn(): PluginTurn {
    return this.#turn;
  }

  /** Before the turn. Gives its end where a plugin refuses it. */
  async begin(): Promise<TurnEndEvent | undefined> {
    for (const plugin of this.#settings.plugins) {
      const { signal } = this.#turn.options;
      // The engine is the one to end a turn that was cancelled before it began.
      if (signal?.aborted) return undefined;
      const run = (): Answer<TurnChange | TurnRefusal | void> => plugin.beforeQuery?.(this.#turn);
      const answer = await this.#caller.call({ plugin, name: "beforeQuery", run, signal }, undefined);
      if (answer && "refuse" in answer) return this.#refuse(answer, plugin);
      if (answer) this.#change(answer);
    }
    return undefined;
  }

  /** What to hand on for an event: nothing, itself, others; before them what is to be said about failed hooks. */
  async read(event: SkeinEvent): Promise<readonly SkeinEvent[]> {
    const events = await this.#map(event, this.#settings.plugins);
    const last = events.at(-1);
    if (last?.type === "turn-end") await this.end(last.result);
    return [...(await this.#reports()), ...events];
  }

  /** The name of a plugin that wants a failed turn run again, where that may be. All are told of the failure. */
  async askForRetry(result: TurnResult): Promise<string | undefined> {
    const error = result.error ?? new SkeinError("The turn failed", { kind: "runtime" }).toJSON();
    const turn = this.#turn;
    let asking: SkeinPlugin | undefined;
    for (const plugin of this.#settings.plugins) {
      const run = (): Answer<TurnRetry | void> => plugin.onError?.({ error, result }, turn);
      const answer = await this.#caller.call({ plugin, name: "onError", run }, undefined);
      if (!answer?.retry || asking || !this.#mayRetry(plugin)) continue;
      asking = plugin;
      this.#change(answer);
    }
    if (!asking) return undefined;
    this.#haveRetried.add(asking);
    this.#turn = { ...this.#turn, attempt: turn.attempt + 1 };
    return asking.name;
  }

  /** After the turn; only the first call counts. */
  async end(result: TurnResult | undefined): Promise<void> {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    for (const plugin of this.#settings.plugins) {
      const run = (): Answer<void> => plugin.afterQuery?.(result, this.#turn);
      await this.#caller.call({ plugin, name: "afterQuery", run }, undefined);
    }
  }

  /** A report goes past the other plugins too: a redactor has a say in what an error message tells. */
  async #reports(): Promise<readonly SkeinEvent[]> {
    const told: SkeinEvent[] = [];
    for (const { plugin, event } of this.#caller.takeReports()) {
      const plugins = this.#settings.plugins.filter((other) => other !== plugin);
      told.push(...(await this.#map(event, plugins)));
    }
    // Plugins that fail at each other's failures would go on for ever.
    this.#caller.takeReports();
    return told;
  }

  /** What becomes of an event on its way through plugins, each of which is given what the one before handed on. */
  async #map(event: SkeinEvent, plugins: readonly SkeinPlugin[]): Promise<readonly SkeinEvent[]> {
    let events: readonly SkeinEvent[] = [event];
    for (const plugin of plugins) {
      if (!plugin.onMessage) continue;
      const handedOn: SkeinEvent[] = [];
      for (const one of events) {
        const run = (): Answer<readonly SkeinEvent[]> => handOn(one, plugin.onMessage?.(one, this.#turn));
        handedOn.push(...(await this.#caller.call({ plugin, name: "onMessage", run }, [one])));
      }
      events = handedOn;
    }
    return events;
  }

  #refuse({ refuse, kind = "policy", hint }: TurnRefusal, plugin: SkeinPlugin): TurnEndEvent {
    const { resume: sessionId, model } = this.#turn.options;
    const error = new SkeinError(refuse, { kind, target: plugin.name, hint });
    const result: TurnResult = { ...failedResult(error, { sessionId, model }), terminalReason: "refused" };
    return { type: "turn-end", timestamp: isoTime(this.#settings.clock.now()), result };
  }

  #mayRetry(plugin: SkeinPlugin): boolean {
    const isSpent = this.#haveRetried.size >= this.#settings.maxPluginRetries || this.#haveRetried.has(plugin);
    return !isSpent && !this.#turn.options.signal?.aborted;
  }

  #change({ prompt, options }: TurnChange): void {
    this.#turn = {
      ...this.#turn,
      prompt: prompt ?? this.#turn.prompt,
      options: { ...this.#turn.options, ...options },
    };
  }
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
