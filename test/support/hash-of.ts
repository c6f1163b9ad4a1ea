import { createHash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Every file below a directory, with mode, time and content, as one hash. */
export function hashOf(directory: string): string {
  const hash = createHash("sha256");
  for (const name of readdirSync(directory, { recursive: true, encoding: "utf8" }).toSorted()) {
    const stats = lstatSync(join(directory, name));
    hash.update(`${name} ${stats.mode.toString(8)} ${stats.mtimeMs}\0`);
    if (stats.isFile()) hash.update(readFileSync(join(directory, name)));
  }
  return hash.digest("hex");
}
