import { SkeinError } from "../../core/index.ts";

/**
 * Lets one call at a time change something. A path that was looked at could otherwise be another one by the time it is used: an
 * agent that works below the root can put a link in the place of a folder.
 */
export function oneAtATime(): <T>(work: () => Promise<T>) => Promise<T> {
  let isBusy = false;
  return async (work) => {
    if (isBusy) {
      throw new SkeinError("Another call of this server is running an agent or changing files", {
        kind: "workspace_busy",
        retryable: true,
        hint: "Wait for its answer",
      });
    }
    isBusy = true;
    try {
      return await work();
    } finally {
      isBusy = false;
    }
  };
}
