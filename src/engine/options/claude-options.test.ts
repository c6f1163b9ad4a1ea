import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { optionsSchema } from "./claude-options.ts";

test("the guide lists every option, and no other", async () => {
  const guide = await readFile(new URL("../../../docs/guide/running-agents.md", import.meta.url), "utf8");
  const tables = guide.slice(guide.indexOf("## Options"), guide.indexOf("## Presets"));
  const listed = [...tables.matchAll(/^\| `(\w+)`/gm)].map(([, name]) => name);
  expect(new Set(listed)).toEqual(new Set(Object.keys(optionsSchema.shape)));
});
