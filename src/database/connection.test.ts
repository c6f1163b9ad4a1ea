import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loadSqlite } from "./connection.ts";

// Another process runs the built package: `npm test` builds it first.
const BUILT = new URL("../../dist/database/index.js", import.meta.url).href;

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "skein-database-"));
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

describe("SQLite", () => {
  it("can search text, whichever Node this is", async () => {
    const { DatabaseSync } = await loadSqlite();
    const connection = new DatabaseSync(":memory:");
    connection.exec("create virtual table texts using fts5 (body); insert into texts values ('one two')");
    expect(connection.prepare("select body from texts where texts match ?").all("two")).toEqual([{ body: "one two" }]);
    connection.close();
  });

  it("is loaded, and so is the query builder, only when a database is opened", async () => {
    const script = `
      import { register } from "node:module";
      const hooks = \`
        import { writeSync } from "node:fs";
        export function resolve(specifier, context, next) {
          if (/^(kysely|.*sqlite)$/.test(specifier)) writeSync(1, specifier + "\\\\n");
          return next(specifier, context);
        }\`;
      register("data:text/javascript," + encodeURIComponent(hooks));
      const { openDatabase } = await import(${JSON.stringify(BUILT)});
      console.log("imported");
      await (await openDatabase(${JSON.stringify(join(root, "a.sqlite"))}, { migrations: [] })).close();`;
    const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script]);
    expect(stdout.split("\n").slice(0, 2)).toEqual(["imported", "kysely"]);
  });
});
