import { useEffect, useState } from "react";

/** Code that is loaded when it is first needed; afterwards it is there at once. */
export interface Lazily<Module> {
  loaded: Module | undefined;
  load(): Promise<Module>;
}

/** Loads a module once, for all that ask. */
export function lazily<Module>(bring: () => Promise<Module>): Lazily<Module> {
  let coming: Promise<Module> | undefined;
  const lazy: Lazily<Module> = {
    loaded: undefined,
    async load() {
      coming ??= bring();
      try {
        lazy.loaded = await coming;
      } catch (error) {
        // The server was away for a moment: the next one that needs it asks again.
        coming = undefined;
        throw error;
      }
      return lazy.loaded;
    },
  };
  return lazy;
}

/** The module, once it is loaded. */
export function useLazy<Module>(lazy: Lazily<Module>, isNeeded = true): Module | undefined {
  const [, setLoaded] = useState(lazy.loaded !== undefined);
  useEffect(() => {
    if (!isNeeded || lazy.loaded !== undefined) return;
    // Without it what it would draw is plain text, which is no reason to break the view.
    lazy.load().then(
      () => setLoaded(true),
      () => undefined,
    );
  }, [lazy, isNeeded]);
  return isNeeded ? lazy.loaded : undefined;
}

/** What a worker makes of a text: undefined until it has. What it answers of an older text is not shown. */
export function useComing<Value>(key: string | undefined, make: () => Promise<Value | undefined>): Value | undefined {
  const [made, setMade] = useState<{ readonly key: string; readonly value: Value | undefined }>();
  useEffect(() => {
    if (key === undefined) return;
    let isOver = false;
    const wait = async (): Promise<void> => {
      const value = await make();
      if (!isOver) setMade({ key, value });
    };
    void wait();
    return () => {
      isOver = true;
    };
    // What is made depends on the key alone.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [key]);
  return made !== undefined && made.key === key ? made.value : undefined;
}
