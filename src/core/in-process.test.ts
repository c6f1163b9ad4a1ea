import { expect, it } from "vitest";
import { onceInProcess } from "./in-process.ts";

it("gives every copy of this module the same value", async () => {
  const copy = (await import(new URL("./in-process.ts?copy", import.meta.url).href)) as {
    readonly onceInProcess: typeof onceInProcess;
  };
  expect(copy.onceInProcess).not.toBe(onceInProcess);
  const made = onceInProcess("in-process.test", () => new Map([["a", 1]]));
  expect(copy.onceInProcess("in-process.test", () => new Map())).toBe(made);
  expect(onceInProcess("in-process.test/2", () => new Map())).not.toBe(made);
});
