import { useEffect, useRef } from "react";
import { useKeys, type KeyAction } from "../frame/keys.ts";

/** A key that was meant for the question before must not answer the next one, which nobody has read. */
const READ_FOR_MS = 600;

/** Keys that answer a question while it is the one that they mean. */
export function useAnswerKeys(isActive: boolean, actions: readonly KeyAction[]): void {
  const activeSinceMs = useRef(Infinity);
  useEffect(() => {
    activeSinceMs.current = isActive ? Date.now() : Infinity;
  }, [isActive]);
  useKeys(
    actions.map((action) => ({
      ...action,
      run: () => {
        if (Date.now() - activeSinceMs.current >= READ_FOR_MS) action.run();
      },
    })),
  );
}
