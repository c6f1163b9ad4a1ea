/** Lets many calls run together, or one alone. */
export interface CallLock {
  /** Waits for its turn, in order of asking; gives the function that lets the next in. */
  take(kind: "alone" | "together", signal: AbortSignal): Promise<() => void>;
}

interface Waiting {
  readonly kind: "alone" | "together";
  readonly start: () => void;
}

/** Makes a lock. A call that is alone waits for all before it, and all after it wait for it. */
export function createCallLock(): CallLock {
  const queue: Waiting[] = [];
  let running = 0;
  let isAlone = false;

  const admit = (): void => {
    for (let next = queue[0]; next; next = queue[0]) {
      if (isAlone || (next.kind === "alone" && running > 0)) return;
      queue.shift();
      running += 1;
      isAlone = next.kind === "alone";
      next.start();
    }
  };
  const release = (): (() => void) => {
    let isDone = false;
    return () => {
      if (isDone) return;
      isDone = true;
      running -= 1;
      isAlone = false;
      admit();
    };
  };

  return {
    take: (kind, signal) =>
      new Promise((resolve, reject) => {
        const done = new AbortController();
        const waiting: Waiting = {
          kind,
          start: () => {
            done.abort();
            resolve(release());
          },
        };
        const leave = (): void => {
          queue.splice(queue.indexOf(waiting), 1);
          reject(signal.reason as Error);
          admit();
        };
        if (signal.aborted) return reject(signal.reason as Error);
        signal.addEventListener("abort", leave, { once: true, signal: done.signal });
        queue.push(waiting);
        admit();
      }),
  };
}
