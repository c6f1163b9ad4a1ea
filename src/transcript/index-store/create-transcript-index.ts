import { rm } from "node:fs/promises";
import { join } from "node:path";
import { SkeinError } from "../../core/internal.ts";
import { openRebuildableDatabase, UnusableDatabaseError } from "../../database/index.ts";
import { createTotals, type TotalsSetting } from "../totals/create-totals.ts";
import { missingWords, refreshWords, type WordIndex } from "./refresh-words.ts";
import { MIGRATIONS, type WordTables } from "./schema.ts";
import { searchMessages } from "./search-messages.ts";
import type { TranscriptIndex } from "./transcript-index.ts";

/** Makes the index of transcripts over the totals and the database in a folder, which is made where there is none. */
export async function createTranscriptIndex(setting: TotalsSetting): Promise<TranscriptIndex> {
  await removeEarlier(setting.folder);
  const path = join(setting.folder, "search.sqlite");
  const store = await openRebuildableDatabase<WordTables>(path, { migrations: MIGRATIONS });
  const totals = createTotals(setting);
  const index: WordIndex = { store, totals, setting, path };
  let isClosed = false;
  const close = async (): Promise<void> => {
    isClosed = true;
    await totals.close();
    await store.close();
  };
  const guard = async <T>(work: () => Promise<T>): Promise<T> => {
    if (isClosed) throw new SkeinError("The transcript index is closed", { kind: "usage", hint: "Open it again" });
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof UnusableDatabaseError)) throw error;
      // Damage deep in a file is met only when it is read: the file must go, or whoever opens it next meets it again.
      isClosed = true;
      await store.discard();
      throw error;
    }
  };
  const { sessions, session, projects, stats, copyKept, archive } = totals;
  return {
    sessions,
    session,
    projects,
    stats,
    copyKept,
    archive,
    refresh: (options = {}) => guard(() => refreshWords(index, options)),
    search: (words, options = {}) =>
      guard(async () => ({ ...(await searchMessages(index, words, options)), missing: await missingWords(index) })),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** What earlier versions had: all of it can be made again, and it takes as much of the disk as the index. */
async function removeEarlier(folder: string): Promise<void> {
  const names = ["index.sqlite", "index.sqlite-wal", "index.sqlite-shm", "index.sqlite.lock"];
  await Promise.all(names.map((name) => rm(join(folder, name), { force: true }).catch(() => undefined)));
}
