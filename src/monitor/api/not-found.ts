import { SkeinError } from "../../core/internal.ts";

/** What is said of something that was named and is not there. */
export function notFound(what: string, target: string): SkeinError {
  return new SkeinError(`There is no ${what} ${JSON.stringify(target)}`, { kind: "state_not_found", target });
}
