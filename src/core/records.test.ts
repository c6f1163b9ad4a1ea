import { expect, it } from "vitest";
import { emptyRecord, ownValue } from "./records.ts";

it("finds what a record has, and nothing of what every object has", () => {
  const record: Record<string, number> = { a: 1 };
  expect(["a", "b", "constructor", "toString", "__proto__"].map((name) => ownValue(record, name))).toEqual([
    1,
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});

it("keeps any name", () => {
  const record = emptyRecord<number>();
  for (const name of ["constructor", "__proto__"]) record[name] = (record[name] ?? 0) + 1;
  expect(Object.entries(record)).toEqual([
    ["constructor", 1],
    ["__proto__", 1],
  ]);
});
