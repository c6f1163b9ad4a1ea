import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { prompt, writeTranscript } from "../../../test/support/write-history.ts";
import { openDatabase } from "../../database/index.ts";
import { openTranscriptIndex } from "./open-transcript-index.ts";
import { MIGRATIONS } from "./schema.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "skein-earlier-index-"));
  const path = join(root, "projects", "-work-app", "here.jsonl");
  writeTranscript(path, [prompt("h1", "東京の天気", { sessionId: "here" })]);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const open = () => openTranscriptIndex({ home: join(root, "home"), transcriptsHome: join(root, "projects") });

async function found(): Promise<readonly (string | undefined)[]> {
  await using index = await open();
  await index.refresh();
  return (await index.search("天気")).hits.map(({ snippet }) => snippet?.text);
}

function folder(): string {
  const all = join(root, "home", "transcripts");
  return join(all, readdirSync(all)[0] ?? "");
}

it("the database of an earlier Skein, which knew everything, goes: it can be made again", async () => {
  expect(await found()).toEqual(["東京の天気"]);
  writeFileSync(join(folder(), "index.sqlite"), "large");
  expect(await found()).toEqual(["東京の天気"]);
  expect(existsSync(join(folder(), "index.sqlite"))).toBe(false);
});

it("an index that a newer Skein has written is made anew", async () => {
  await (await open()).close();
  const path = join(folder(), "search.sqlite");
  await (await openDatabase(path, { migrations: [...MIGRATIONS, "drop table messages"] })).close();
  expect(await found()).toEqual(["東京の天気"]);
});
