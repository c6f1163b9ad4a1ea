/** Hands each published event to every subscriber, in the order in which they subscribed. */
export interface EventBus<Event> {
  publish(event: Event): void;
  /** Returns the function that ends the subscription. */
  subscribe(listener: (event: Event) => void): () => void;
}

/** Makes a bus. A listener that throws is reported to `onListenerError` and stops nobody else. */
export function createEventBus<Event>(onListenerError: (error: unknown) => void = rethrowLater): EventBus<Event> {
  const listeners = new Set<(event: Event) => void>();
  return {
    publish(event) {
      // A copy: who subscribes while an event is handed over gets the next one.
      const present = [...listeners];
      for (const listener of present) {
        if (!listeners.has(listener)) continue;
        try {
          listener(event);
        } catch (error) {
          onListenerError(error);
        }
      }
    },
    subscribe(listener) {
      // A function of its own for each subscription, so that one listener may subscribe twice.
      const entry = (event: Event): void => listener(event);
      listeners.add(entry);
      return () => listeners.delete(entry);
    },
  };
}

function rethrowLater(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}
