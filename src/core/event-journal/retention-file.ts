import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { parseJson } from "../jsonl.ts";

/** What the data folder says of what is kept in it: when that was last applied, and how many journals may lie there. */
export const RetentionFile = z.object({
  version: z.literal(1),
  appliedAt: z.iso.datetime({ offset: true }),
  eventCount: z.int().nonnegative(),
});

export type RetentionFile = Readonly<z.infer<typeof RetentionFile>>;

export function retentionPath(dataHome: string): string {
  return join(dataHome, "retention.json");
}

/** Undefined where it was never applied, or is not said so that it can be read. */
export async function readRetentionFile(dataHome: string): Promise<RetentionFile | undefined> {
  const text = await readFile(retentionPath(dataHome), "utf8").catch(() => "");
  return RetentionFile.safeParse(parseJson(text)).data;
}
