import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "..");

/** Every string of a source that is given as a hint, or is a constant that is. */
function hintsOf(source: string): readonly string[] {
  const starts = [...source.matchAll(/\b(?:hint:|hint\s*=|HINT\s*=|hint\()/gu)].map(({ index }) => index);
  return starts.flatMap((start) => {
    const rest = source.slice(start, start + 400);
    // Up to the end of the value: what follows is another field or statement.
    const end = rest.search(/;\n|,\n|\}\)|\}\s*;|\): [A-Z]/u);
    const value = end === -1 ? rest : rest.slice(0, end + 1);
    return [...value.matchAll(/"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`/gu)].map(
      ([, plain, template]) => plain ?? template ?? "",
    );
  });
}

const sources = readdirSync(join(ROOT, "src"), { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".ts") && !path.endsWith(".test.ts"))
  .map((path) => join("src", path));
const hints = sources.flatMap((path) =>
  hintsOf(readFileSync(join(ROOT, path), "utf8")).map((hint) => ({ path: path.replaceAll("\\", "/"), hint })),
);

/** Names of the library in camelCase that stand in no backticks: calls, types and paths are none. */
const BARE_OPTION = /(?<![`\w.$/{[-])[a-z]+(?:[A-Z][a-z\d]+)+(?![`\w(./])/u;

/** A flag that belongs to no command that is written out: `skein undo --merge` does. */
function bareFlags(hint: string): readonly string[] {
  const withoutCommands = hint.replaceAll(/\b(?:skein|git|ssh|npm|npx|pnpm|yarn|claude)\b[^,;.]*/gu, "");
  return withoutCommands.match(/(?<![\w`-])--[a-z][a-z-]+/gu) ?? [];
}

it("finds the hints of the sources", () => {
  expect(hints.length).toBeGreaterThan(150);
  expect(hints.map(({ hint }) => hint)).toContain("Raise `maxTokens`, or resume the session to continue.");
});

it("hints name options in backticks, and no flags, which whoever is told them puts in", () => {
  const wrong = hints.filter(({ hint }) => BARE_OPTION.test(hint) || bareFlags(hint).length > 0);
  expect(wrong).toEqual([]);
});
