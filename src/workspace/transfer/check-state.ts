import { SkeinError } from "../../core/internal.ts";
import { type ObjectReader, parseStoredIndex, readTree, STATE_LIMITS, type TreeEntry } from "../../git/index.ts";
import { isLinkTarget, parseFilesMeta, parseGitFile, parseStagedTree } from "../../snapshot/index.ts";
import { readState, type StateId } from "../states/state-commit.ts";

/** Checks that a state has the parts of one and no other, as a capture makes them. What several states share is looked at once. */
export function createStateCheck(objects: ObjectReader): (id: StateId) => Promise<void> {
  const measure = createTreeMeasure(objects);
  const checked = new Map<string, Promise<void>>();
  const once = (name: string, oid: string, work: () => Promise<void>): Promise<void> => {
    const key = `${name} ${oid}`;
    const found = checked.get(key) ?? work();
    checked.set(key, found);
    return found;
  };
  return async (id) => {
    const { entries } = await readState(objects, id);
    for (const { name, mode, oid } of entries.values()) {
      const part = PARTS.get(name);
      if (part?.mode !== mode) throw forged(id, `has ${JSON.stringify(name.slice(0, 60))}`);
      await once(name, oid, async () => {
        if (mode === "40000") await measure(oid);
        const type = mode === "40000" ? "tree" : "blob";
        part.parse?.(await objects.content(oid, { type, mostBytes: part.mostBytes }));
      });
    }
    for (const name of ["state.json", "files.meta"]) if (!entries.has(name)) throw forged(id, `has no ${name}`);
  };
}

interface Part {
  readonly mode: string;
  readonly mostBytes: number;
  readonly parse?: (content: Buffer) => unknown;
}

const { partBytes, smallBytes } = STATE_LIMITS;

/** What a state is made of. Its own files, the turn and the session are read by those who wrote them, and limited here. */
const PARTS = new Map<string, Part>([
  ["files", { mode: "40000", mostBytes: partBytes }],
  ["files.meta", { mode: "100644", mostBytes: partBytes, parse: parseFilesMeta }],
  ["git.json", { mode: "100644", mostBytes: smallBytes, parse: parseGitFile }],
  ["git-index", { mode: "100644", mostBytes: partBytes, parse: parseStoredIndex }],
  ["git-objects", { mode: "40000", mostBytes: partBytes, parse: parseStagedTree }],
  ["state.json", { mode: "100644", mostBytes: smallBytes, parse: (content) => content }],
  ["transition.json", { mode: "100644", mostBytes: partBytes, parse: (content) => content }],
  ["session", { mode: "40000", mostBytes: partBytes }],
]);

function forged(id: StateId, what: string): SkeinError {
  return new SkeinError(`The state ${id.slice(0, 12)} ${what}`, {
    kind: "policy",
    target: id,
    hint: "It was made by a newer version of Skein, or not by Skein; nothing was changed",
  });
}

interface TreeSize {
  readonly paths: number;
  readonly depth: number;
  readonly bytes: number;
  /** The longest path in it, in bytes. */
  readonly pathBytes: number;
}

/** Each tree is read once, however often it stands in others: ten trees of ten folders, one in the other, cost ten readings. */
function createTreeMeasure(objects: ObjectReader): (oid: string) => Promise<TreeSize> {
  const known = new Map<string, Promise<TreeSize>>();
  const measure = (oid: string, above: number): Promise<TreeSize> => {
    if (above > STATE_LIMITS.depth) throw tooLarge("nested folders", STATE_LIMITS.depth);
    const found = known.get(oid) ?? read(oid, above);
    known.set(oid, found);
    return found;
  };
  const read = async (oid: string, above: number): Promise<TreeSize> => {
    let [paths, depth, bytes, pathBytes] = [0, 0, 0, 0];
    const entries = await readTree(objects, oid);
    const blobs = entries.filter(({ mode }) => mode !== "40000");
    const files = new Map(await Promise.all(blobs.map(async (each) => [each, await file(each)] as const)));
    for (const entry of entries) {
      const { name } = entry;
      const size = files.get(entry) ?? (await measure(entry.oid, above + 1));
      paths += 1 + size.paths;
      bytes += size.bytes;
      depth = Math.max(depth, size.depth + 1);
      pathBytes = Math.max(pathBytes, name.length + 1 + size.pathBytes);
    }
    check({ paths, depth, bytes, pathBytes });
    return { paths, depth, bytes, pathBytes };
  };
  const file = async ({ oid, mode }: TreeEntry): Promise<TreeSize> => {
    const info = await objects.info(oid);
    const isLink = mode === "120000";
    if (info?.type !== "blob" || (isLink && !isLinkTarget((await objects.fileContent(oid)) ?? Buffer.alloc(0)))) {
      throw new SkeinError(`${oid} is not a ${isLink ? "link" : "file"}`, { kind: "policy", target: oid });
    }
    return { paths: 0, depth: 0, bytes: info.sizeBytes, pathBytes: 0 };
  };
  return (oid) => measure(oid, 0);
}

function check({ paths, depth, bytes, pathBytes }: TreeSize): void {
  if (paths > STATE_LIMITS.paths) throw tooLarge("files", STATE_LIMITS.paths);
  if (depth > STATE_LIMITS.depth) throw tooLarge("nested folders", STATE_LIMITS.depth);
  if (bytes > STATE_LIMITS.snapshotBytes) throw tooLarge("bytes", STATE_LIMITS.snapshotBytes);
  if (pathBytes > MOST_PATH_BYTES) throw tooLarge("bytes in a path", MOST_PATH_BYTES);
}

/** What Linux takes for a path. */
const MOST_PATH_BYTES = 4096;

function tooLarge(what: string, most: number): SkeinError {
  return new SkeinError(`A state has more than ${most} ${what}`, {
    kind: "policy",
    hint: "It was built to fill memory or disk; nothing was changed",
  });
}
