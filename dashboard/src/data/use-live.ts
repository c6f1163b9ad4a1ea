import { useEffect, useSyncExternalStore } from "react";
import { readLive, stream, subscribeLive, type Live } from "./live.ts";

/** A part of what is known of this moment; what is chosen has to be the same object while it says the same. */
export function useLive<Part>(choose: (live: Live) => Part): Part {
  return useSyncExternalStore(subscribeLive, () => choose(readLive()));
}

/** Hears a topic of the stream while the component is shown. */
export function useTopic(topic: string | undefined): void {
  useEffect(() => (topic === undefined ? undefined : stream.want(topic)), [topic]);
}
