import { existsSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { z } from "zod";
import { PACKAGE_ROOT, readOwnPackage } from "./package-facts.ts";

/** A part of the installed package. */
export const SubsystemData = z.strictObject({
  name: z.string(),
  /** What a program imports, such as `skein/core`; null for what is not for programs. */
  specifier: z.string().nullable(),
  file_count: z.int(),
  size_bytes: z.int(),
  /** The names that a program can import, types not counted. */
  exports: z.array(z.string()),
});

/** A part of the installed package. */
export type SubsystemData = z.infer<typeof SubsystemData>;

/** Looks at the parts of the installed package: their files, and what each lets a program import. */
export async function findSubsystems(): Promise<readonly SubsystemData[]> {
  const { name, exports } = readOwnPackage();
  const dist = join(PACKAGE_ROOT, "dist");
  const entries = await readdir(dist, { withFileTypes: true });
  const rooms = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  return await Promise.all(
    rooms.toSorted().map(async (room) => {
      const specifier = `./${room}` in exports ? `${name}/${room}` : null;
      const names = specifier === null ? [] : await exportsOf(join(dist, room, "index.js"));
      return { name: room, specifier, ...(await measure(join(dist, room))), exports: names };
    }),
  );
}

async function exportsOf(door: string): Promise<string[]> {
  if (!existsSync(door)) return [];
  const loaded = (await import(pathToFileURL(door).href)) as Readonly<Record<string, unknown>>;
  return Object.keys(loaded).toSorted();
}

async function measure(folder: string): Promise<Pick<SubsystemData, "file_count" | "size_bytes">> {
  const paths = await readdir(folder, { recursive: true });
  const scripts = paths.filter((path) => path.endsWith(".js"));
  const sizes = await Promise.all(scripts.map(async (path) => (await stat(join(folder, path))).size));
  return { file_count: scripts.length, size_bytes: sizes.reduce((sum, size) => sum + size, 0) };
}
