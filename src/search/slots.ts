/** Lets so many in at once; the rest wait in line. */
export interface Slots {
  /** Takes a slot; the disposable gives it back. */
  take(): Promise<Disposable>;
  /** How many are free. */
  free(): number;
}

/** Makes a line in front of `count` slots. */
export function createSlots(count: number): Slots {
  let free = count;
  const waiting: (() => void)[] = [];
  const giveBack = (): void => {
    const next = waiting.shift();
    if (next) next();
    else free += 1;
  };
  return {
    free: () => free,
    async take() {
      if (free > 0) free -= 1;
      else await new Promise<void>((resolve) => waiting.push(resolve));
      return { [Symbol.dispose]: giveBack };
    },
  };
}
