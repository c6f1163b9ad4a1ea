import { describe, expect, it } from "vitest";
import { collectMetrics } from "./hook-caller.ts";

describe("collectMetrics", () => {
  it("gives the numbers of all plugins under their names, and reports a plugin that fails", () => {
    const failures: unknown[] = [];
    const broken = {
      name: "broken",
      metrics: () => {
        throw new Error("no numbers");
      },
    };
    const plugins = [{ name: "a", metrics: () => ({ seen: 2, kept: 1 }) }, { name: "silent" }, broken];
    expect(collectMetrics(plugins, ({ plugin, hook, error }) => failures.push([plugin, hook, error.message]))).toEqual({
      "a.seen": 2,
      "a.kept": 1,
    });
    expect(failures).toEqual([["broken", "metrics", "no numbers"]]);
  });
});
