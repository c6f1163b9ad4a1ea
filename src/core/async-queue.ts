interface WaitingReader<T> {
  resolve(result: IteratorResult<T, void>): void;
  reject(reason: unknown): void;
}

/** A bounded queue between a writer and one reader: `push` waits for room, so that a slow reader slows the writer down. */
export class AsyncQueue<T> implements AsyncIterableIterator<T, void> {
  readonly #capacity: number;
  #items: T[] = [];
  #readers: WaitingReader<T>[] = [];
  #writers: { readonly item: T; resolve(taken: boolean): void }[] = [];
  #ended = false;
  #failure: { readonly reason: unknown } | undefined;

  /** `capacity` is how many items may wait before `push` does. */
  constructor(capacity = 256) {
    this.#capacity = capacity;
  }

  get size(): number {
    return this.#items.length;
  }

  /** Adds an item; false when the queue has ended and the item was not taken. */
  push(item: T): Promise<boolean> {
    if (this.#ended) return Promise.resolve(false);
    const reader = this.#readers.shift();
    if (reader) reader.resolve({ value: item, done: false });
    else if (this.#items.length < this.#capacity) this.#items.push(item);
    else return new Promise((resolve) => this.#writers.push({ item, resolve }));
    return Promise.resolve(true);
  }

  /** Ends the queue: what is waiting can still be read. */
  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    for (const reader of this.#readers.splice(0)) this.#settle(reader);
    for (const writer of this.#writers.splice(0)) writer.resolve(false);
  }

  /** Ends the queue with an error, which the reader gets after what is waiting. */
  fail(reason: unknown): void {
    if (this.#ended) return;
    this.#failure = { reason };
    this.end();
  }

  next(): Promise<IteratorResult<T, void>> {
    this.#takeFromWriter();
    if (this.#items.length > 0) return Promise.resolve({ value: this.#items.shift() as T, done: false });
    return new Promise((resolve, reject) => {
      const reader = { resolve, reject };
      if (this.#ended) this.#settle(reader);
      else this.#readers.push(reader);
    });
  }

  /** The reader stops early: what was waiting is dropped and writers are told so. */
  return(): Promise<IteratorResult<T, void>> {
    this.#items = [];
    this.#failure = undefined;
    this.end();
    return Promise.resolve({ value: undefined, done: true });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #settle(reader: WaitingReader<T>): void {
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure) reader.reject(failure.reason);
    else reader.resolve({ value: undefined, done: true });
  }

  /** The item moves in at once, not when its writer wakes: a later push must not overtake it. */
  #takeFromWriter(): void {
    const writer = this.#writers.shift();
    if (!writer) return;
    this.#items.push(writer.item);
    writer.resolve(true);
  }
}
