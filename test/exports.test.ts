import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { publicNames, type PublicName } from "./support/public-names.ts";

const PIN_FILE = "test/pins/exports.json";

/** The names that users can import, and the words they branch on. A change here is a change of the interface. */
interface Pins {
  /** By subpath; a type is `type Name`. */
  readonly exports: Readonly<Record<string, readonly string[]>>;
  readonly errorKinds: readonly string[];
}

const doors = readDoors();
const imported = importPackage();
const actual: Pins = {
  exports: Object.fromEntries(
    [...doors].map(([door, names]) => [door, names.map(({ name, isType }) => (isType ? `type ${name}` : name))]),
  ),
  errorKinds: imported.errorKinds,
};
if (process.env["UPDATE_PINS"] === "1") {
  if (process.env["CI"]) throw new Error("UPDATE_PINS is for people: in CI the pins are compared, never rewritten");
  writeFileSync(PIN_FILE, JSON.stringify(actual));
  execFileSync("node_modules/.bin/oxfmt", [PIN_FILE]);
}
const pinned = JSON.parse(readFileSync(PIN_FILE, "utf8")) as Pins;

describe("the package", () => {
  it("has the subpaths that are pinned", () => {
    expect(Object.keys(actual.exports)).toEqual(Object.keys(pinned.exports));
  });

  it.each([...doors.keys()])("exports the pinned names from %s", (specifier) => {
    expect(actual.exports[specifier]).toEqual(pinned.exports[specifier]);
  });

  it.each([...doors])("gives who imports %s the values that its source names", (specifier, names) => {
    expect(imported.exports[specifier]).toEqual(names.filter(({ isType }) => !isType).map(({ name }) => name));
  });

  it("says of each public name what it is", () => {
    const silent = [...doors.values()].flat().filter(({ doc }) => doc === undefined);
    expect(silent.map(({ name, file }) => `${name} in ${file}`)).toEqual([]);
  });

  it("shows each public name in a guide or an example", () => {
    const shown = new Set(["docs/guide", "examples"].flatMap(wordsIn));
    const names = new Set([...doors.values()].flat().map(({ name }) => name));
    expect([...names].filter((name) => !shown.has(name))).toEqual([]);
  });

  it("fails with the pinned error kinds only", () => {
    expect(actual.errorKinds).toEqual(pinned.errorKinds);
  });
});

/** What the source says that each subpath of the package gives. */
function readDoors(): ReadonlyMap<string, readonly PublicName[]> {
  const manifest = JSON.parse(readFileSync("package.json", "utf8")) as {
    name: string;
    exports: Readonly<Record<string, { readonly default: string }>>;
  };
  return new Map(
    Object.entries(manifest.exports)
      .filter(([subpath]) => !subpath.endsWith(".json"))
      .map(([subpath, { default: file }]) => [
        manifest.name + subpath.slice(1),
        publicNames(file.replace("./dist/", "src/").replace(/js$/u, "ts")),
      ]),
  );
}

/** Node itself resolves the package's `exports`, as it will for a user. */
function importPackage(): Pins {
  const script = `
    const exports = {};
    for (const specifier of ${JSON.stringify([...doors.keys()])}) exports[specifier] = Object.keys(await import(specifier)).sort();
    const { ERROR_KINDS: errorKinds } = await import("skein/core");
    process.stdout.write(JSON.stringify({ exports, errorKinds }));`;
  return JSON.parse(
    execFileSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" }),
  ) as Pins;
}

/** The words of a folder's examples, and of the code in its pages: prose may use a name's word for something else. */
function wordsIn(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .flatMap(({ name }) => {
      const text = readFileSync(`${folder}/${name}`, "utf8");
      const code = name.endsWith(".md") ? (text.match(/```[\s\S]*?```|`[^`\n]+`/gu) ?? []).join("\n") : text;
      return code.match(/[\w$]+/gu) ?? [];
    });
}
