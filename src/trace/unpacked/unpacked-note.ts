import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { createId, PRIVATE_FILE } from "../../core/index.ts";

const Unpacked = z.strictObject({
  version: z.literal(1),
  /** What the store's names were. */
  signature: z.string(),
  /** The states that were looked at, and the session whose files each has added to; null for one without a turn. */
  states: z.record(z.string(), z.string().nullable()),
  /** How long each file is: what is behind it was written by somebody who did not come to the end. */
  sizes: z.record(z.string(), z.int().nonnegative()),
});

/** How much of a store is laid out as transcripts. */
export type Unpacked = z.infer<typeof Unpacked>;

/** Nothing yet. */
export const NOTHING_UNPACKED: Unpacked = { version: 1, signature: "", states: {}, sizes: {} };

/** Reads how far a folder has come; undefined where that is not known, and all has to be done anew. */
export async function readUnpacked(folder: string): Promise<Unpacked | undefined> {
  const text = await readFile(join(folder, "unpacked.json"), "utf8").catch(() => "");
  try {
    return Unpacked.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** Notes how far a folder has come. */
export async function writeUnpacked(folder: string, unpacked: Unpacked): Promise<void> {
  const own = join(folder, `unpacked.json.${createId()}.tmp`);
  await writeFile(own, JSON.stringify(unpacked), { mode: PRIVATE_FILE });
  await rename(own, join(folder, "unpacked.json"));
}
