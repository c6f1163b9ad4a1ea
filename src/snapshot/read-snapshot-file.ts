import { SkeinError } from "../core/index.ts";
import { toBytePath, toText, parseTree, readTreeObject } from "../git/index.ts";
import { topEntries, type SnapshotReader } from "./list-snapshot.ts";

/** Reads one file of a snapshot by going down its trees, so that a name may be made of any bytes. */
export async function readSnapshotFile(reader: SnapshotReader, id: string, path: string | Uint8Array): Promise<Buffer> {
  const bytes = toBytePath(path);
  let oid = (await topEntries(reader, id)).get("files");
  for (const name of bytes.split("/")) {
    const info = oid === undefined ? undefined : await reader.objects.info(oid);
    oid = info?.type === "tree" ? parseTree(await readTreeObject(reader.objects, info.oid)).get(name) : undefined;
  }
  const found = oid === undefined ? undefined : await reader.objects.info(oid);
  if (found?.type === "blob") return await reader.objects.content(found.oid);
  throw new SkeinError(`The snapshot ${id} has no file ${toText(bytes)}`, {
    kind: "filesystem",
    target: toText(bytes),
    hint: "Give paths relative to the workspace's root, with slashes",
  });
}
