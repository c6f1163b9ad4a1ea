import type { BytePath } from "./byte-path.ts";
import { checkStoredPath } from "./check-stored-path.ts";
import type { TreeEntry } from "./object-id.ts";

/** Reads a git tree whole: mode, name and id of each entry. */
export function parseTreeEntries(content: Buffer): readonly TreeEntry[] {
  const entries: TreeEntry[] = [];
  for (let start = 0; start < content.length;) {
    const space = content.indexOf(32, start);
    const zero = content.indexOf(0, space);
    const name: BytePath = content.toString("latin1", space + 1, zero);
    const oid = content.toString("hex", zero + 1, zero + 21);
    checkStoredPath(name);
    entries.push({ mode: content.toString("latin1", start, space), name, oid });
    start = zero + 21;
  }
  return entries;
}

/** The entries of a git tree by name. */
export function parseTree(content: Buffer): ReadonlyMap<BytePath, string> {
  return new Map(parseTreeEntries(content).map(({ name, oid }) => [name, oid]));
}
