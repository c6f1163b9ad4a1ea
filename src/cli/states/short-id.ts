import { plainLine } from "../../terminal/index.ts";

/** As much of a state's id as is shown: enough to be told from any other. */
export function shortId(stateId: string): string {
  return stateId.slice(0, 12);
}

/** A name of the store in words: `conversation 0199…`, `checkpoint before-vue`; of an object's id only the beginning. */
export function shownRef(ref: string): string {
  const [, kind, name] = /^refs\/skein\/(\w+?)s?\/(.*)$/u.exec(ref) ?? [];
  if (kind === undefined || name === undefined) return plainLine(ref);
  return plainLine(`${kind} ${/^[0-9a-f]{40}$/u.test(name) ? shortId(name) : name}`);
}
