import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import importTable from "./import-table.json" with { type: "json" };
import { findSharedNames } from "./support/find-shared-names.ts";
import { findBreaches, formatBreach, type ImportTable, type SourceFile } from "./support/find-breaches.ts";

describe("the source tree", () => {
  it("keeps the rules for rooms and doors", () => {
    const files = readdirSync("src", { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".ts"))
      .map((path) => ({ path: `src/${path}`, text: readFileSync(`src/${path}`, "utf8") }));
    expect(findBreaches(files, importTable).map(formatBreach)).toEqual([]);
  });

  it("gives one name to one thing over all doors", () => {
    const doors = readdirSync("src", { recursive: true, encoding: "utf8" })
      .filter((path) => /^(?:[^/]+\/)?(?:index|internal)\.ts$/u.test(path))
      .map((path) => ({ path: `src/${path}`, text: readFileSync(`src/${path}`, "utf8") }));
    expect(findSharedNames(doors)).toEqual([]);
  });

  it("has a table in which every room imports known rooms and none comes back to itself", () => {
    const table: ImportTable = importTable;
    const reachable = (room: string, seen = new Set<string>()): Set<string> => {
      for (const next of table[room] ?? []) if (!seen.has(next)) reachable(next, seen.add(next));
      return seen;
    };
    const rooms = Object.keys(table);
    expect(rooms.flatMap((room) => table[room] ?? []).filter((room) => !rooms.includes(room))).toEqual([]);
    expect(rooms.filter((room) => reachable(room).has(room))).toEqual([]);
  });
});

describe("the architecture check", () => {
  const table = { core: [], engine: ["core"], cli: ["core", "engine"] };
  const breaches = (...files: SourceFile[]): readonly string[] => findBreaches(files, table).map(formatBreach);
  const engine = (text: string): readonly string[] => breaches({ path: "src/engine/turn.ts", text });
  const door = (text: string): readonly string[] => breaches({ path: "src/core/index.ts", text });

  it("accepts doors, own files, packages and Node's modules", () => {
    const text = [
      'import { spawn } from "node:child_process";',
      'import { z } from "zod";',
      'import type { Clock } from "../core/index.ts";',
      'import { wait } from "./process/wait.ts";',
      "export { wait };",
      'export const lazy = () => import("../core/index.ts");',
    ].join("\n");
    expect(engine(text)).toEqual([]);
    expect(door('// The door.\nexport { a, type B } from "./a.ts";\nexport type { C } from "./c.ts";\n')).toEqual([]);
    expect(breaches({ path: "src/index.ts", text: 'export { a } from "./core/index.ts";' })).toEqual([]);
  });

  it.each([
    'import { a } from "../core/a.ts";',
    'import type { A } from "../core/a.ts";',
    'import {\n  a,\n  type B,\n} from "../core/a.ts";',
    'import a, * as b from "../core/a.ts";',
    'import "../core/a.ts";',
    'export { a } from "../core/a.ts";',
    'const a = await import("../core/a.ts");',
    'type A = typeof import("../core/a.ts");',
  ])("finds a room entered by a window: %s", (text) => {
    expect(engine(text)).toEqual(['src/engine/turn.ts:1: by-the-door: "../core/a.ts" is not the door of a room']);
  });

  it("finds a name that two doors give to different things, and none that one hands on from another", () => {
    const core = { path: "src/core/index.ts", text: 'export { Tool, type Usage } from "./tool.ts";' };
    const handing = { path: "src/engine/index.ts", text: 'export { Usage } from "../core/index.ts";' };
    expect(findSharedNames([core, handing])).toEqual([]);
    const other = { path: "src/cli/index.ts", text: 'export type {\n  Run as Tool,\n} from "./run.ts";' };
    expect(findSharedNames([core, handing, other])).toEqual(["Tool: src/core/tool.ts:Tool, src/cli/run.ts:Run"]);
  });

  it("finds files that lead back to themselves, by types too, and a folder that is too full", () => {
    const circle = [
      { path: "src/core/a.ts", text: 'import { b } from "./b.ts";' },
      { path: "src/core/b.ts", text: 'import type { A } from "./a.ts";' },
    ];
    expect(breaches(...circle)).toEqual([
      "src/core/a.ts:1: no-circle: src/core/a.ts -> src/core/b.ts -> src/core/a.ts is a circle",
    ]);
    const many = Array.from({ length: 26 }, (_, index) => ({ path: `src/core/usage/f${index}.ts`, text: "" }));
    const tests = many.map(({ path }) => ({ path: path.replace(".ts", ".test.ts"), text: "" }));
    expect(breaches(...many, ...tests)).toEqual(["src/core/usage:1: folder-size: 26 files; 25 is the end"]);
    expect(breaches(...many.slice(1), ...tests)).toEqual([]);
  });

  it("finds an import that goes upwards", () => {
    expect(engine('\nimport { a } from "../cli/index.ts";')).toEqual([
      'src/engine/turn.ts:2: downwards-only: the room "engine" may not import "cli"',
    ]);
  });

  it("finds a room that uses another one's door for users, and users who are given the inner door", () => {
    const inner = { path: "src/core/internal.ts", text: 'export { a } from "./a.ts";' };
    const right = { path: "src/engine/turn.ts", text: 'import { a } from "../core/internal.ts";' };
    const wrong = { path: "src/engine/wrong.ts", text: 'import { a } from "../core/index.ts";' };
    const test = { ...wrong, path: "src/engine/turn.test.ts" };
    const users = { path: "src/index.ts", text: 'export { a } from "./core/internal.ts";' };
    expect(breaches(inner, right, test)).toEqual([]);
    expect(breaches(inner, wrong, users)).toEqual([
      'src/engine/wrong.ts:1: right-door: "../core/index.ts" is the other door: here it is the room\'s internal.ts',
      'src/index.ts:1: right-door: "./core/internal.ts" is the other door: here it is the room\'s index.ts',
    ]);
  });

  it("lets a test import any room, by its door, and helpers outside src", () => {
    const text = [
      'import { a } from "../cli/index.ts";',
      'import { b } from "../../test/support/b.ts";',
      'import { c } from "../cli/c.ts";',
    ].join("\n");
    expect(breaches({ path: "src/core/a.test.ts", text })).toEqual([
      'src/core/a.test.ts:3: by-the-door: "../cli/c.ts" is not the door of a room',
    ]);
  });

  it("finds imports of the own door, of the package itself and of files outside src", () => {
    const text = ['import "./index.ts";', 'import "skein/core";', 'import "../../package.json";'].join("\n");
    expect(engine(text)).toEqual([
      "src/engine/turn.ts:1: own-door: inside a room, import the file itself",
      'src/engine/turn.ts:2: no-self-import: "skein/core" is this package; import the room\'s door',
      'src/engine/turn.ts:3: inside-src: "../../package.json" leads out of src/',
    ]);
  });

  it("finds files outside the rooms and rooms outside the table", () => {
    expect(breaches({ path: "src/helpers.ts", text: "" }, { path: "src/attic/a.ts", text: "" })).toEqual([
      "src/helpers.ts:1: rooms-only: a file under src/ lives in a room; only src/index.ts stands outside",
      'src/attic/a.ts:1: known-room: the room "attic" is not in test/import-table.json',
    ]);
  });

  it("finds star exports and default exports", () => {
    const text = ['export * from "./a.ts";', 'export * as b from "./b.ts";', "export { c as default };"].join("\n");
    expect(engine(`${text}\nexport default 1;`)).toEqual([
      "src/engine/turn.ts:1: no-export-star: name what is exported",
      "src/engine/turn.ts:2: no-export-star: name what is exported",
      "src/engine/turn.ts:3: no-default-export: export by name",
      "src/engine/turn.ts:4: no-default-export: export by name",
    ]);
  });

  it.each(["export const a = 1;", 'import { a } from "./a.ts";', "export { a };", "start();"])(
    "finds logic in a door: %s",
    (text) => {
      expect(door(`export { b } from "./b.ts";\n${text}`)).toEqual([
        "src/core/index.ts:2: door-without-logic: a door holds only `export { … } from`",
      ]);
    },
  );

  it("finds a file that is too long, but not one that ends at the limit", () => {
    expect(engine("a;\n".repeat(400))).toEqual([]);
    expect(engine("a;\n".repeat(401))).toEqual(["src/engine/turn.ts:401: file-size: 401 lines; 400 is the end"]);
  });

  it("finds console outside the room cli", () => {
    expect(breaches({ path: "src/cli/main.ts", text: "console.log(1);" })).toEqual([]);
    expect(engine("\nconsole.log(`${console.error(1)}`);")).toEqual([
      "src/engine/turn.ts:2: no-console: only the room cli writes to the terminal",
      "src/engine/turn.ts:2: no-console: only the room cli writes to the terminal",
    ]);
  });

  it("does not take text for code", () => {
    const text = [
      '// import { a } from "../cli/index.ts";',
      '/* export * from "./a.ts"; */',
      'const file = `import { a } from "../cli/index.ts";\\nconsole.log(${"`"});\\nexport default 1;`;',
      "const line = 'export default 1; console.log(1)';",
      'const pattern = /[`\'"/]console.log("/;',
      'const half = 1 / 2; const word = "console.log(1)"; const third = half / 3;',
      'const keys = { import: "../cli/index.ts", export: 1, default: 2 }; keys.import; terminal.console.log(1);',
    ].join("\n");
    expect(engine(text)).toEqual([]);
  });
});
