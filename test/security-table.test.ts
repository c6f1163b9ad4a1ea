import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const page = readFileSync("docs/security.md", "utf8");

test("docs/security.md names only tests that there are", () => {
  const files = [...page.matchAll(/`((?:src|test)\/[\w./-]+\.test\.ts)`/gu)].map(([, file = ""]) => file);
  expect(files.length).toBeGreaterThan(30);
  expect(files.filter((file) => !existsSync(file))).toEqual([]);
});

test("docs/security.md quotes the names of tests as they are", () => {
  const quoted = [
    ...page.matchAll(/`((?:src|test)\/[\w./-]+\.test\.ts)`(?: \([^)|]*\))?:? ((?:"[^"|]+"(?:, | and )?)+)/gu),
  ];
  const names = quoted.flatMap(([, file = "", list = ""]) =>
    [...list.matchAll(/"([^"]+)"/gu)].map(([, name = ""]) => ({ file, name })),
  );
  expect(names.length).toBeGreaterThan(20);
  expect(names.filter(({ file, name }) => !isIn(file, name))).toEqual([]);
});

/** A name may be cut with …, and of one that is made from values the fixed parts count. */
function isIn(file: string, name: string): boolean {
  const text = readFileSync(file, "utf8").replaceAll('\\"', '"');
  return name.split(/…| > |%[sj]|`/u).every((part) => text.includes(part.trim()));
}
