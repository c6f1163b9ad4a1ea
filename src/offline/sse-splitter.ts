import type { RecordedEvent } from "./cassette.ts";

/** Cuts a stream of bytes into server-sent events, each with the time that it took to come. */
export class SseSplitter {
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  readonly #events: RecordedEvent[] = [];
  #pending = "";
  #lastMs: number;

  constructor(startedMs: number) {
    this.#lastMs = startedMs;
  }

  /** Takes the next bytes, which came at `nowMs`. */
  push(bytes: Uint8Array, nowMs: number): void {
    this.#pending += this.#decoder.decode(bytes, { stream: true });
    for (let end = endOfEvent(this.#pending); end !== -1; end = endOfEvent(this.#pending)) this.#take(end, nowMs);
  }

  /** Every event, and last what is left of one that never ended. */
  end(nowMs: number): readonly RecordedEvent[] {
    this.#pending += this.#decoder.decode();
    if (this.#pending !== "") this.#take(this.#pending.length, nowMs);
    return this.#events;
  }

  #take(length: number, nowMs: number): void {
    this.#events.push({ delayMs: nowMs - this.#lastMs, text: this.#pending.slice(0, length) });
    this.#pending = this.#pending.slice(length);
    this.#lastMs = nowMs;
  }
}

/** Where the first event ends, its blank line included; -1 where none does yet. */
function endOfEvent(text: string): number {
  const blank = /\r?\n\r?\n/.exec(text);
  return blank ? blank.index + blank[0].length : -1;
}
