import { readdir, rm, stat } from "node:fs/promises";
import { basename, join, relative, sep } from "node:path";
import { isUnreadable, toSkipped, type SkippedPath } from "../problem.ts";
import type { IndexSetting } from "./index-setting.ts";
import { measureKept, unpackKept } from "../copies/kept-file.ts";
import type { ListedFile } from "../discover/list-files.ts";
import type { FileRow } from "./schema.ts";
import { type Intake, takeInFile } from "./take-in-file.ts";

/** Takes in the copies of transcripts that are no longer there, for a new index; gives the copies that cannot be read. */
export async function restoreKept(
  setting: IndexSetting,
  intake: Intake,
  present: readonly ListedFile[],
): Promise<readonly SkippedPath[]> {
  const skipped: SkippedPath[] = [];
  const root = join(setting.folder, "kept");
  const there = new Set(present.map(({ path }) => path));
  for (const copy of await listCopies(root)) {
    const path = join(setting.base, relative(root, copy).slice(0, -".gz".length));
    const known = await intake.db.selectFrom("files").selectAll().where("path", "=", path).executeTakeFirst();
    // How much is kept is noted last: where it is not, an earlier attempt was ended.
    if (there.has(path) || (known?.keptRawBytes ?? 0) > 0) continue;
    try {
      await restore(setting, intake, copy, path, known);
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      skipped.push(toSkipped(copy, error));
    }
  }
  return skipped;
}

async function restore(
  setting: IndexSetting,
  intake: Intake,
  copy: string,
  path: string,
  known?: FileRow,
): Promise<void> {
  const source = join(setting.folder, "restored.jsonl");
  try {
    await unpackKept(copy, source);
    const kept = measureKept(copy);
    const { mtimeMs } = await stat(copy);
    const listed = describe(setting.base, path, kept.keptRawBytes, mtimeMs);
    await takeInFile(intake, { listed, known, source, copy: undefined }, true);
    await intake.db
      .updateTable("files")
      .set({ isPurged: 1, ...kept })
      .where("path", "=", path)
      .execute();
  } finally {
    await rm(source, { force: true });
  }
}

function describe(base: string, path: string, sizeBytes: number, modifiedAtMs: number): ListedFile {
  const [folder = "", parent = "", ...below] = relative(base, path).split(sep);
  return {
    path,
    folder,
    isSubagent: basename(path).startsWith("agent-"),
    parentSessionId: below.length > 0 ? parent : undefined,
    identity: "",
    sizeBytes,
    modifiedAtNs: `${Math.round(modifiedAtMs)}000000`,
    changedAtNs: "",
  };
}

async function listCopies(root: string): Promise<readonly string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isFile() && entry.name.endsWith(".jsonl.gz"))
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();
}
