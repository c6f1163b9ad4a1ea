/** Makes a line in front of `count` slots: so many are let in at once, the rest wait. */
export function createSlots(count: number) {
  let free = count;
  const waiting: (() => void)[] = [];
  const giveBack = (): void => {
    const next = waiting.shift();
    if (next) next();
    else free += 1;
  };
  return {
    free: () => free,
    /** Takes a slot; the disposable gives it back. */
    async take(): Promise<Disposable> {
      if (free > 0) free -= 1;
      else await new Promise<void>((resolve) => waiting.push(resolve));
      return { [Symbol.dispose]: giveBack };
    },
  };
}
