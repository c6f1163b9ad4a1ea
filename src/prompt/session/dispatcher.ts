import { toSkeinError, type SkeinError } from "../../core/internal.ts";
import type { PromptEvents } from "./prompt-events.ts";

/** Anything with a type can be dispatched. */
export interface DispatchEvent {
  readonly type: string;
}

/** Something that went wrong while an event was handed on; nobody else was stopped by it. */
export interface DispatchError {
  readonly source: "reducer" | "handler" | "file";
  /** The slice of the reducer, the type that the handler subscribed to, or the path of the file. */
  readonly name: string;
  readonly error: SkeinError;
}

/** What became of a dispatched event. */
export interface DispatchResult<Event extends DispatchEvent = DispatchEvent> {
  readonly event: Event;
  readonly handled: number;
  readonly errors: readonly DispatchError[];
  readonly ok: boolean;
}

/** Hands events on to whoever subscribed to their type. */
export interface Dispatcher {
  dispatch<Event extends DispatchEvent>(event: Event): DispatchResult<Event>;
}

/** Calls the handlers at once, in the order in which they subscribed; one that fails stops nobody else. */
export class InProcessDispatcher implements Dispatcher {
  readonly #handlers = new Map<string, Set<Handler>>();
  readonly #onError: (error: DispatchError) => void;

  /** `onError` is told of every failed handler, of asynchronous ones too, whose failure comes after the result. */
  constructor({ onError = () => undefined }: { readonly onError?: (error: DispatchError) => void } = {}) {
    this.#onError = onError;
  }

  /** Returns the function that ends the subscription. The type has to be the event's, exactly. */
  subscribe<Type extends keyof PromptEvents>(
    type: Type,
    handler: (event: PromptEvents[Type]) => void | Promise<void>,
  ): () => void;
  subscribe<Event extends DispatchEvent>(
    type: Event["type"],
    handler: (event: Event) => void | Promise<void>,
  ): () => void;
  subscribe(type: string, handler: (event: never) => void | Promise<void>): () => void {
    const handlers = this.#handlers.get(type) ?? new Set();
    this.#handlers.set(type, handlers);
    // A function of its own for each subscription, so that one handler may subscribe twice.
    const entry: Handler = (event) => handler(event as never);
    handlers.add(entry);
    return () => void handlers.delete(entry);
  }

  dispatch<Event extends DispatchEvent>(event: Event): DispatchResult<Event> {
    const errors: DispatchError[] = [];
    const report = (thrown: unknown): DispatchError => {
      const error = { source: "handler", name: event.type, error: toSkeinError(thrown) } as const;
      this.#onError(error);
      return error;
    };
    // A copy: who subscribes while an event is handed over gets the next one.
    const handlers = [...(this.#handlers.get(event.type) ?? [])];
    for (const handler of handlers) {
      try {
        handler(event)?.then(undefined, report);
      } catch (thrown) {
        errors.push(report(thrown));
      }
    }
    return { event, handled: handlers.length, errors, ok: errors.length === 0 };
  }
}

type Handler = (event: DispatchEvent) => void | Promise<void>;
