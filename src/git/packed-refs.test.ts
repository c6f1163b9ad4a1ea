import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, expect, it } from "vitest";
import { readPackedRefs } from "./packed-refs.ts";

const store = mkdtempSync(join(tmpdir(), "skein-packed-"));

afterAll(() => rmSync(store, { recursive: true }));

const HEAD = "# pack-refs with: peeled fully-peeled sorted ";
const name = fc.array(fc.constantFrom("a", "b", "ab", "é", "-", "."), { minLength: 1, maxLength: 3 });
const id = fc.stringMatching(/^[0-9a-f]{40}$/u);
const ref = fc.record({ name: name.map((parts) => `refs/${parts.join("/")}`), id, isTag: fc.boolean() });

it("finds the names that begin with any words, sorted or not, among tags and what they lead to", () => {
  const refs = fc.uniqueArray(ref, { selector: (each) => each.name, maxLength: 40 });
  fc.assert(
    fc.property(refs, fc.boolean(), fc.boolean(), (given, isSorted, endsWithLine) => {
      const inOrder = given.toSorted((one, other) => Buffer.compare(Buffer.from(one.name), Buffer.from(other.name)));
      const written = isSorted ? inOrder : given;
      const lines = written.flatMap((each) => [`${each.id} ${each.name}`, ...(each.isTag ? [`^${each.id}`] : [])]);
      const text = [...(isSorted ? [HEAD] : []), ...lines].join("\n");
      writeFileSync(join(store, "packed-refs"), endsWithLine ? `${text}\n` : text);
      const packed = readPackedRefs(store);
      for (const prefix of ["refs/", "refs/a", "refs/a/", "refs/b/ab", "refs/é", "refs/.", "refs/z", "heads/"]) {
        const fitting = inOrder.filter((each) => each.name.startsWith(prefix));
        expect(packed.below(prefix)).toEqual(fitting.map((each) => [each.name, each.id]));
      }
      for (const each of given) expect(packed.idOf(each.name)).toBe(each.id);
      expect(packed.idOf("refs/a/none")).toBeUndefined();
    }),
    { numRuns: 300 },
  );
});

it("has none where there is no such file", () => {
  const packed = readPackedRefs(join(store, "nowhere"));
  expect([packed.below("refs/"), packed.idOf("refs/a")]).toEqual([[], undefined]);
});
