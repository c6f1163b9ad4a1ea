import { SkeinError } from "../../core/internal.ts";

export const SIZE_LIMIT_BYTES = 50 * 1024 * 1024;

/** Reads a size as people write it: `200MB`, `1.5 GB`, `500000`; undefined where it is none. */
export function parseSize(text: string): number | undefined {
  const [, number = "", unit = ""] = /^(\d+(?:\.\d+)?) ?([kmgt]?)b?$/iu.exec(text.trim()) ?? [];
  if (number === "") return undefined;
  return Math.round(Number(number) * 1000 ** ["", "k", "m", "g", "t"].indexOf(unit.toLowerCase()));
}

/** The limit that `SKEIN_SIZE_LIMIT` sets for every workspace; undefined where it is not set. */
export function sizeLimitSetting(env: Readonly<Record<string, string | undefined>> = process.env): number | undefined {
  const text = env["SKEIN_SIZE_LIMIT"];
  if (text === undefined || text === "") return undefined;
  const size = parseSize(text);
  if (size !== undefined) return size;
  throw new SkeinError(`SKEIN_SIZE_LIMIT is ${JSON.stringify(text)}, which is not a size`, {
    kind: "config",
    target: "SKEIN_SIZE_LIMIT",
    hint: "Write a size such as 200MB or 1.5GB",
  });
}
