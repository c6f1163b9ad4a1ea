import { useSyncExternalStore } from "react";

const narrow = window.matchMedia("(width < 600px)");

/** A row is one line; on a narrow screen two. */
export function useRowHeight(): number {
  const isNarrow = useSyncExternalStore(
    (listener) => {
      narrow.addEventListener("change", listener);
      return () => narrow.removeEventListener("change", listener);
    },
    () => narrow.matches,
  );
  return isNarrow ? 56 : 32;
}
