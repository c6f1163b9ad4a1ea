import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { afterEach, beforeEach, expect, it } from "vitest";
import { prompt, writeTranscript } from "../../../test/support/write-history.ts";
import { openDatabase } from "../../database/index.ts";
import { openTranscriptIndex } from "./open-transcript-index.ts";
import { MIGRATIONS, type TranscriptTables } from "./schema.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "skein-migrations-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const open = () => openTranscriptIndex({ home: join(root, "home"), transcriptsHome: join(root, "projects") });
const file = (name: string): string => join(root, "projects", "-work-app", `${name}.jsonl`);

/** The index as the first version left it: the words not taken apart, and a file that is gone and was not kept. */
async function makeOld(path: string): Promise<void> {
  await using database = await openDatabase<TranscriptTables>(path, { migrations: MIGRATIONS });
  const { db } = database;
  await db.updateTable("files").set({ isPurged: 1, keptRawBytes: 0 }).where("path", "=", file("gone")).execute();
  await db
    .deleteFrom("messages")
    .where("fileRow", "in", db.selectFrom("files").select("row").where("path", "=", file("here")))
    .execute();
  await db.schema.dropTable("summaries").execute();
  await sql`alter table sessions drop column offlineCostUsd`.execute(db);
  await sql`pragma user_version = 1`.execute(db);
}

it("an index of the first version reads again what it can, takes in its copies, and forgets nothing else", async () => {
  writeTranscript(file("here"), [prompt("h1", "東京の天気", { sessionId: "here" })]);
  writeTranscript(file("kept"), [prompt("k1", "kept words", { sessionId: "kept" })]);
  writeTranscript(file("gone"), [prompt("g1", "gone words", { sessionId: "gone" })]);
  {
    await using index = await open();
    await index.refresh();
  }
  rmSync(file("gone"));
  rmSync(file("kept"));
  const [folder = ""] = readdirSync(join(root, "home", "transcripts"));
  const home = join(root, "home", "transcripts", folder);
  rmSync(join(home, "kept", "-work-app", "gone.jsonl.gz"));
  await makeOld(join(home, "index.sqlite"));
  await using index = await open();
  await index.refresh();
  expect((await index.search("天気")).hits).toMatchObject([{ uuid: "h1", snippet: { text: "東京の天気" } }]);
  expect((await index.search("kept")).hits).toMatchObject([{ uuid: "k1", snippet: { text: "kept words" } }]);
  expect((await index.search("gone")).hits).toMatchObject([{ uuid: "g1", snippet: undefined }]);
  expect((await index.sessions()).totals.sessions).toBe(3);
});
