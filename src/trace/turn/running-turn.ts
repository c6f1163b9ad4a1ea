import { SkeinError, type Clock, type SkeinEvent } from "../../core/internal.ts";

/** How long a reader who does not read on is waited for. */
const READER_GRACE_MS = 2000;

class Gate {
  isOpen = false;
  #resolve: () => void = () => undefined;
  readonly opened = new Promise<void>((resolve) => (this.#resolve = resolve));

  open(): void {
    this.isOpen = true;
    this.#resolve();
  }
}

/** A turn while it runs, for those who want to stop it, add to it or wait for it. */
export class RunningTurn implements Disposable {
  readonly #stop = new AbortController();
  readonly #begun = new Gate();
  readonly #ended = new Gate();
  /** What was said while it ran. */
  readonly added: string[] = [];
  #isWithReader = false;

  /** The signal that ends it: the caller's own, or somebody's who stops it. */
  signal(own: AbortSignal | undefined): AbortSignal {
    return own ? AbortSignal.any([own, this.#stop.signal]) : this.#stop.signal;
  }

  stop(): void {
    this.#stop.abort(new SkeinError("The turn was cancelled", { kind: "cancelled" }));
  }

  /** Hands an event on. With the first one it is clear that the engine has the prompt. */
  *hand(event: SkeinEvent): Generator<SkeinEvent, void> {
    this.#begun.open();
    this.#isWithReader = true;
    try {
      yield event;
    } finally {
      this.#isWithReader = false;
    }
  }

  /** Adds a prompt as soon as the turn has begun. */
  async add(text: string, send: () => Promise<void>): Promise<void> {
    await Promise.race([this.#begun.opened, this.#ended.opened]);
    if (this.#ended.isOpen) throw noTurn();
    await send();
    this.added.push(text);
  }

  /** Waits until it has been recorded, but not for a reader who waits for us in turn. */
  async settle(clock: Clock): Promise<void> {
    while (!this.#ended.isOpen) {
      const waiting = new AbortController();
      const patience = clock.sleep(READER_GRACE_MS, waiting.signal).catch(() => undefined);
      await Promise.race([this.#ended.opened, patience]);
      waiting.abort();
      if (this.#isWithReader) return;
    }
  }

  [Symbol.dispose](): void {
    this.#ended.open();
  }
}

export function noTurn(): SkeinError {
  return new SkeinError("No turn of this conversation is running", { kind: "usage", hint: "Send a prompt first." });
}
