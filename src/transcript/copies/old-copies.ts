import { existsSync } from "node:fs";
import { stat } from "node:fs/promises";
import { type OpenTranscriptsOptions, settingOf } from "../totals/open-transcripts.ts";
import { listCopies } from "./copies.ts";

/** The copies of deleted transcripts to which nothing was added since a moment. One of a transcript that is there would only be made again. */
export async function oldCopies(
  options: OpenTranscriptsOptions,
  beforeMs: number,
): Promise<readonly { readonly path: string; readonly sizeBytes: number }[]> {
  const copies = await listCopies(await settingOf(options));
  const found = await Promise.all(
    copies
      .filter(({ path }) => !existsSync(path))
      .map(async ({ copy }) => ({ copy, file: await stat(copy).catch(() => undefined) })),
  );
  return found.flatMap(({ copy, file }) =>
    file && file.mtimeMs < beforeMs ? { path: copy, sizeBytes: file.size } : [],
  );
}
