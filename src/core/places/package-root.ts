import { createRequire } from "node:module";
import { dirname } from "node:path";

/** The folder of this package, whichever of its files the code is in: a module of the library, or a part of the command's bundle. */
export function packageRoot(): string {
  return dirname(createRequire(import.meta.url).resolve("skein/package.json"));
}
