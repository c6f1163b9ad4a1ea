interface Waiting<T> {
  resolve(result: IteratorResult<T, void>): void;
  reject(reason: unknown): void;
}

/**
 * A bounded queue between a writer and one reader. `push` resolves when there is room, so that a slow reader
 * slows the writer down instead of filling the memory.
 */
export class AsyncQueue<T> implements AsyncIterableIterator<T, void> {
  readonly #capacity: number;
  #items: T[] = [];
  #readers: Waiting<T>[] = [];
  #writers: (() => void)[] = [];
  #ended = false;
  #failure: { readonly reason: unknown } | undefined;

  /** `capacity` is how many items may wait before `push` does. */
  constructor(capacity = 256) {
    this.#capacity = capacity;
  }

  /** How many items are waiting to be read. */
  get size(): number {
    return this.#items.length;
  }

  /** Adds an item; false when the queue has ended and the item was not taken. */
  async push(item: T): Promise<boolean> {
    while (!this.#ended && this.#items.length >= this.#capacity) {
      await new Promise<void>((resolve) => this.#writers.push(resolve));
    }
    if (this.#ended) return false;
    const reader = this.#readers.shift();
    if (reader) reader.resolve({ value: item, done: false });
    else this.#items.push(item);
    return true;
  }

  /** Ends the queue: what is waiting can still be read. */
  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    for (const reader of this.#readers.splice(0)) this.#settle(reader);
    this.#wakeWriters();
  }

  /** Ends the queue with an error, which the reader gets after what is waiting. */
  fail(reason: unknown): void {
    if (this.#ended) return;
    this.#failure = { reason };
    this.end();
  }

  next(): Promise<IteratorResult<T, void>> {
    const item = this.#items.shift();
    if (item !== undefined || this.#items.length > 0) {
      this.#writers.shift()?.();
      return Promise.resolve({ value: item as T, done: false });
    }
    return new Promise((resolve, reject) => {
      const reader = { resolve, reject };
      if (this.#ended) this.#settle(reader);
      else this.#readers.push(reader);
    });
  }

  /** The reader stops early: what was waiting is dropped and writers are told so. */
  return(): Promise<IteratorResult<T, void>> {
    this.#items = [];
    this.end();
    return Promise.resolve({ value: undefined, done: true });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #settle(reader: Waiting<T>): void {
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure) reader.reject(failure.reason);
    else reader.resolve({ value: undefined, done: true });
  }

  #wakeWriters(): void {
    for (const wake of this.#writers.splice(0)) wake();
  }
}
