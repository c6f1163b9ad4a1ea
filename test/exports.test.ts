import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const PIN_FILE = "test/pins/exports.json";

/** The names that users can import, and the words they branch on. A change here is a change of the interface. */
interface Pins {
  readonly exports: Readonly<Record<string, readonly string[]>>;
  readonly errorKinds: readonly string[];
}

const actual = readPackage();
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

  it.each(Object.keys(actual.exports))("exports the pinned names from %s", (specifier) => {
    expect(actual.exports[specifier]).toEqual(pinned.exports[specifier]);
  });

  it("fails with the pinned error kinds only", () => {
    expect(actual.errorKinds).toEqual(pinned.errorKinds);
  });
});

/** Node itself resolves the package's `exports`, as it will for a user. */
function readPackage(): Pins {
  const manifest = JSON.parse(readFileSync("package.json", "utf8")) as { name: string; exports: object };
  const specifiers = Object.keys(manifest.exports)
    .filter((subpath) => !subpath.endsWith(".json"))
    .map((subpath) => manifest.name + subpath.slice(1));
  const script = `
    const exports = {};
    for (const specifier of ${JSON.stringify(specifiers)}) exports[specifier] = Object.keys(await import(specifier)).sort();
    const { ERROR_KINDS: errorKinds } = await import("${manifest.name}/core");
    process.stdout.write(JSON.stringify({ exports, errorKinds }));`;
  return JSON.parse(
    execFileSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" }),
  ) as Pins;
}
