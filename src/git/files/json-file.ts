import { readFile } from "node:fs/promises";
import type { z } from "zod";

/** What a JSON file holds; undefined where there is none, or none of this shape. */
export async function readJsonFile<T>(path: string, schema: z.ZodType<T>): Promise<T | undefined> {
  return schema.safeParse(tryJson(await readFile(path, "utf8").catch(() => ""))).data;
}

/** What a text says as JSON; undefined where it is none. */
export function tryJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
