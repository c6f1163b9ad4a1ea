import { SkeinError } from "../../core/index.ts";
import { STATE_LIMITS, type TreeEntry, type ObjectReader, parseTreeEntries, readTreeObject } from "../../git/index.ts";
import { isLinkTarget } from "../../snapshot/index.ts";

/** What a tree comes to when it is written out. */
export interface TreeSize {
  readonly paths: number;
  readonly depth: number;
  readonly bytes: number;
  /** The longest path in it, in bytes. */
  readonly pathBytes: number;
}

/**
 * Measures trees without writing them out: each is read once, however often it stands in others, so that ten trees of ten
 * folders each, one in the other, cost ten readings and not ten thousand million.
 */
export function createTreeMeasure(objects: ObjectReader): (oid: string) => Promise<TreeSize> {
  const known = new Map<string, Promise<TreeSize>>();
  const measure = (oid: string, above: number): Promise<TreeSize> => {
    if (above > STATE_LIMITS.depth) throw tooLarge("nested folders", STATE_LIMITS.depth);
    const found = known.get(oid) ?? read(oid, above);
    known.set(oid, found);
    return found;
  };
  const read = async (oid: string, above: number): Promise<TreeSize> => {
    const content = await readTreeObject(objects, oid);
    let [paths, depth, bytes, pathBytes] = [0, 0, 0, 0];
    const entries = parseTreeEntries(content);
    const files = new Map(
      await Promise.all(
        entries.filter(({ mode }) => mode !== "40000").map(async (each) => [each, await file(each)] as const),
      ),
    );
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
