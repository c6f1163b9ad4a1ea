import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadSqlite, type SqliteConnection } from "./connection.ts";
import { fullTextQuery } from "./full-text.ts";

let sqlite: SqliteConnection;

beforeAll(async () => {
  const { DatabaseSync } = await loadSqlite();
  sqlite = new DatabaseSync(":memory:");
  sqlite.exec("create virtual table texts using fts5 (body, tokenize = 'unicode61 remove_diacritics 2')");
  const insert = sqlite.prepare("insert into texts (body) values (?)");
  for (const body of TEXTS) insert.run(body);
});

afterAll(() => sqlite.close());

const TEXTS = [
  "Fix the login page: tests fail",
  "the page for login is fixed, and NOT tested",
  "Die Größe der Datei übersteigt das Limit",
  'say "hello" to user_name@example.com',
];

function search(text: string): readonly string[] {
  const query = fullTextQuery(text);
  if (query === undefined) return [];
  const rows = sqlite.prepare("select body from texts where texts match ? order by rowid").all(query);
  return (rows as { readonly body: string }[]).map(({ body }) => body);
}

describe("a full-text query", () => {
  it.each([
    ["login page", "every word must occur, in any order", [0, 1]],
    ['"login page"', "a phrase is kept together", [0]],
    ['"login page', "a quote that is not closed reaches to the end", [0]],
    ["fix", "a word is whole", [0]],
    ["fix*", "a star stands for the rest of a word", [0, 1]],
    ['"page for log"*', "a star after a phrase belongs to its last word", [1]],
    ["LOGIN fIx*", "case does not matter", [0, 1]],
    ["ubersteigt GROSSE", "an accent may be left out, but letters are what they are", []],
    ["ubersteigt grösse*", "a word that does not occur finds nothing", []],
    ["größe limit", "words of any language are found", [2]],
    ["NOT tested", "an operator is a word", [1]],
    ["login OR hello", "so is another", []],
    ["login - page", "signs between words are passed over", [0, 1]],
    ["user_name@example.com", "a word with signs in it is a phrase", [3]],
    ["body:hello", "there are no columns to choose", []],
    ["(hello)", "there are no brackets", [3]],
    ["*", "a star alone asks for nothing", []],
    ["", "neither does an empty text", []],
    ['" " "" ( ) ^ + -', "nor a text of signs", []],
  ])("%j: %s", (text, _why, found) => {
    expect(search(text)).toEqual(found.map((index) => TEXTS[index]));
  });

  it("is undefined where there is no word, and else as written here", () => {
    expect([" ", "*", '"', "-", "\0", 'a "b c" d*', 'x"y"z', "a\0b"].map((text) => fullTextQuery(text))).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
      '"a" AND "b c" AND "d"*',
      '"x" AND "y" AND "z"',
      '"a" AND "b"',
    ]);
  });

  it("is never a syntax error, whatever is typed", () => {
    const piece = fc.oneof(
      fc.constantFrom(
        '"',
        "*",
        "AND",
        "OR",
        "NOT",
        "NEAR(",
        ")",
        "(",
        "^",
        "+",
        "-",
        ":",
        "{",
        "}",
        ",",
        "\\",
        "'",
        "\0",
      ),
      fc.constantFrom(" ", "\n", "login", "page", "NEAR(a b, 2)", "body : x", '""', "\u{D800}", "\u{1F600}", "\u{301}"),
      fc.string({ unit: "binary" }),
      fc.string({ unit: "grapheme" }),
    );
    const typed = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(""));
    fc.assert(
      fc.property(typed, (text) => void search(text)),
      { numRuns: 3000 },
    );
  });

  it("finds every text by any of its words, whatever surrounds them", () => {
    const words = TEXTS.flatMap((body, index) => body.split(/[^\p{L}\p{N}]+/u).map((word) => ({ word, index })));
    const sign = fc.constantFrom(" ", "(", ")", '"', "+", "^", ":", "-", "\0", "\n");
    fc.assert(
      fc.property(
        fc.constantFrom(...words.filter(({ word }) => word !== "")),
        sign,
        sign,
        ({ word, index }, left, right) => {
          expect(search(`${left}${word}${right}`)).toContain(TEXTS[index]);
        },
      ),
    );
  });

  it("stands thousands of words", () => {
    expect(search("login ".repeat(5000))).toEqual([TEXTS[0], TEXTS[1]]);
    expect(search(`"${"login ".repeat(5000)}"`)).toEqual([]);
  });
});
