import { useSyncExternalStore } from "react";
import { readLive, subscribeLive, type Live } from "./live.ts";

/** A part of what is known of this moment; what is chosen has to be the same object while it says the same. */
export function useLive<Part>(choose: (live: Live) => Part): Part {
  return useSyncExternalStore(subscribeLive, () => choose(readLive()));
}
