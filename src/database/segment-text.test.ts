import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadSqlite, type SqliteConnection } from "./connection.ts";
import { fullTextQuery, segmentText, WORD } from "./full-text.ts";

const TEXTS = [
  "東京の天気を調べてください。明日は雨です",
  "请帮我修复登录页面的错误,谢谢",
  "로그인 페이지를 고쳐주세요",
  "Fix the ログイン page: ユーザー名 in user_name",
  "plain ASCII text, naïve Größe",
];

let sqlite: SqliteConnection;
beforeAll(async () => {
  const { DatabaseSync } = await loadSqlite();
  sqlite = new DatabaseSync(":memory:");
  sqlite.exec("create virtual table texts using fts5 (body, tokenize = 'unicode61 remove_diacritics 2')");
  for (const body of TEXTS) sqlite.prepare("insert into texts (body) values (?)").run(segmentText(body));
});
afterAll(() => sqlite.close());

describe("text without spaces between its words", () => {
  it.each([
    ["東京", [0]],
    ["京東", []],
    ["天気 明日", [0]],
    ["雨", [0]],
    ["登录", [1]],
    ["登录页面", [1]],
    ["登页", []],
    ["페이지", [2]],
    ["고쳐", [2]],
    ["ログイン", [3]],
    ["ユーザー", [3]],
    ["ユーザー名*", [3]],
    ['"the ログイン page"', [3]],
    ["ascii größe", [4]],
  ])("is found by words inside of it: %s", (words, expected) => {
    const query = fullTextQuery(words, { isSegmented: true }) ?? "";
    const rows = sqlite.prepare("select rowid - 1 as place from texts where texts match ?").all(query);
    expect((rows as { readonly place: number }[]).map(({ place }) => place)).toEqual(expected);
  });

  it("is left as it is where it has none of these letters, and taken apart where it has", () => {
    expect(TEXTS[4]).toBe(segmentText(TEXTS[4] ?? ""));
    expect(segmentText("a東京b")).toBe("a 東  京 b");
    expect([..."a東京b naïve x2".matchAll(WORD)].map(([word]) => word)).toEqual(["a", "東", "京", "b", "naïve", "x2"]);
  });
});
