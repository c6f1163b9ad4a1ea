import { join, relative } from "node:path";
import { SkeinError } from "../../core/index.ts";
import { UnusableDatabaseError, type RebuildableDatabase } from "../../database/index.ts";
import { copyPath, type IndexSetting } from "./index-setting.ts";
import type { IndexedSession } from "./indexed-session.ts";
import { unpackKept } from "./kept-file.ts";
import { refreshIndex } from "./refresh-index.ts";
import type { TranscriptTables } from "./schema.ts";
import { searchMessages } from "./search-messages.ts";
import { findSession, selectSessions, sumSessions } from "./select-sessions.ts";
import { selectStats } from "./select-stats.ts";
import type { TranscriptIndex } from "./transcript-index.ts";

/** Makes the index of transcripts over its open database. */
export function createTranscriptIndex(
  database: RebuildableDatabase<TranscriptTables>,
  options: Omit<IndexSetting, "db">,
): TranscriptIndex {
  const setting: IndexSetting = { ...options, db: database.db };
  const { db, prices } = setting;
  let isClosed = false;
  const close = (): Promise<void> => {
    isClosed = true;
    return database.close();
  };
  const guard = async <T>(work: () => Promise<T>): Promise<T> => {
    if (isClosed) throw new SkeinError("The transcript index is closed", { kind: "usage", hint: "Open it again" });
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof UnusableDatabaseError)) throw error;
      // Damage deep in a file is met only when it is read: the file must go, or whoever opens it next meets it again.
      isClosed = true;
      await database.discard();
      throw error;
    }
  };
  /** A session is named by any of its ids, or by the beginning of one. */
  const named = async <Query extends { readonly session?: string }>(query: Query): Promise<Query> =>
    query.session === undefined ? query : { ...query, session: (await findSession(db, query.session)).id };
  return {
    refresh: (refreshOptions = {}) => guard(() => refreshIndex(setting, refreshOptions)),
    sessions: (query = {}) =>
      guard(async () => ({
        sessions: await selectSessions(db, query),
        totals: await sumSessions(db, query),
        prices: { date: prices.date, source: prices.source },
      })),
    session: (id) => guard(() => findSession(db, id)),
    search: (words, query = {}) => guard(async () => searchMessages(setting, words, await named(query))),
    stats: (query) => guard(async () => selectStats(db, await named(query), prices)),
    copyKept: (id, folder) => guard(async () => copyKept(setting, await findSession(db, id), folder)),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Only what is gone is copied: the rest is where it was. */
async function copyKept(setting: IndexSetting, session: IndexedSession, folder: string): Promise<readonly string[]> {
  const purged = session.files.filter(({ isPurged }) => isPurged);
  const lost = purged.find(({ isKept }) => !isKept);
  if (lost !== undefined) {
    throw new SkeinError(`Claude Code has deleted the transcript, and no copy was kept: ${lost.path}`, {
      kind: "usage",
      target: lost.path,
      hint: "Its numbers are still known. Raise Claude Code's setting cleanupPeriodDays to keep transcripts longer",
    });
  }
  const targets = purged.map(({ path, isSubagent }) => ({
    path,
    isSubagent,
    target: join(folder, relative(setting.base, path)),
  }));
  for (const { path, target } of targets) await unpackKept(copyPath(setting, path), target);
  return targets.filter(({ isSubagent }) => !isSubagent).map(({ target }) => target);
}
