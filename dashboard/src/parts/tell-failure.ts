import { ApiError } from "../data/ask.ts";
import { errorText } from "./note.tsx";
import { tellPerson } from "./toast-list.ts";

/** Tells a person that something failed that has no place of its own on the screen: "Could not stop the run". */
export function tellFailure(what: string, error: unknown): void {
  const hint = error instanceof ApiError ? error.hint : undefined;
  tellPerson({ text: `${what}: ${errorText(error)}`, hint, meaning: "bad" });
}
