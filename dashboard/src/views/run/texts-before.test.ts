import { expect, it } from "vitest";
import { isThere } from "./texts-before.ts";

it("finds out from lists of folders whether a file is there, and asks for no folder that is not", async () => {
  const asked: string[] = [];
  const held: Readonly<Record<string, readonly string[] | undefined>> = { "": ["src", "a.txt", "many"], src: ["b.ts"] };
  const list = async (folder: string): Promise<ReadonlySet<string> | undefined> => {
    asked.push(folder);
    return await Promise.resolve(held[folder] && new Set(held[folder]));
  };
  const paths = ["a.txt", "new.txt", "src/b.ts", "src/c.ts", "lib/deep/d.ts", "many/e.ts", "../secret", "src/../a.txt"];
  const found: boolean[] = [];
  for (const path of paths) found.push(await isThere(path, list));
  // Of a folder whose list is cut nobody knows: the file itself is asked for.
  expect(found).toEqual([true, false, true, false, false, true, false, false]);
  expect(asked).not.toContain("lib");
});
