import { SkeinError } from "../../core/index.ts";
import type { BytePath } from "../files/byte-path.ts";
import { checkStoredPath } from "./check-stored-path.ts";
import type { TreeEntry } from "./object-id.ts";
import type { ObjectReader } from "./object-reader.ts";
import { STATE_LIMITS } from "./limits.ts";

/**
 * Reads a git tree whole: mode, name and id of each entry. It may come from somebody else: what git itself would not write,
 * such as one name twice or a name with a slash in it, is refused.
 */
export function parseTreeEntries(content: Buffer): readonly TreeEntry[] {
  const entries: TreeEntry[] = [];
  const names = new Set<BytePath>();
  for (let start = 0; start < content.length;) {
    const space = content.indexOf(32, start);
    const zero = space === -1 ? -1 : content.indexOf(0, space);
    const end = zero + 1 + ID_BYTES;
    const mode = content.toString("latin1", start, Math.max(space, start));
    if (zero === -1 || end > content.length || !MODES.has(mode))
      throw forged(`an entry with the mode ${mode.slice(0, 10)}`);
    const name: BytePath = content.toString("latin1", space + 1, zero);
    checkStoredPath(name);
    if (name.includes("/") || name.length > MOST_NAME_BYTES || names.has(name)) {
      throw forged(`the name ${JSON.stringify(name.slice(0, 100))}`);
    }
    names.add(name);
    entries.push({ mode, name, oid: content.toString("hex", zero + 1, end) });
    start = end;
  }
  return entries;
}

const ID_BYTES = 20;
/** What every file system takes for one name. */
const MOST_NAME_BYTES = 255;
/** Folders, files, executable files and links; a commit in a tree is what no snapshot holds. */
const MODES = new Set(["40000", "100644", "100755", "120000"]);

function forged(what: string): SkeinError {
  return new SkeinError(`A tree in the store has ${what}, which is not allowed`, {
    kind: "policy",
    hint: "It was not made by Skein, or is damaged: skein verify shows what else is; nothing was changed",
  });
}

/** Reads a tree of the store, and nothing that is none. */
export async function readTreeObject(objects: Pick<ObjectReader, "content">, oid: string): Promise<Buffer> {
  return await objects.content(oid, { type: "tree", mostBytes: STATE_LIMITS.partBytes });
}

/** The entries of a git tree by name. */
export function parseTree(content: Buffer): ReadonlyMap<BytePath, string> {
  return new Map(parseTreeEntries(content).map(({ name, oid }) => [name, oid]));
}
