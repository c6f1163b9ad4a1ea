import { existsSync, readFileSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { z } from "zod";
import { packageRoot } from "../../core/internal.ts";

const Package = z.looseObject({
  name: z.string(),
  version: z.string(),
  description: z.string().default(""),
  license: z.string().default(""),
  bin: z.record(z.string(), z.string()).default({}),
  exports: z.record(z.string(), z.unknown()).default({}),
  engines: z.record(z.string(), z.string()).default({}),
  dependencies: z.record(z.string(), z.string()).default({}),
  optionalDependencies: z.record(z.string(), z.string()).default({}),
});

export type PackageFacts = z.infer<typeof Package>;

const require = createRequire(import.meta.url);

export function readOwnPackage(): PackageFacts {
  return readPackage(packageRoot());
}

/** The folder of an installed package, as this one would find it; undefined where it is not installed. */
export function findPackage(name: string): string | undefined {
  // Asking for the file by its name would not do: a package need not export its package.json.
  const folders = require.resolve.paths(name) ?? [];
  return folders.map((folder) => join(folder, name)).find((folder) => existsSync(join(folder, "package.json")));
}

export function installedVersion(name: string): string | undefined {
  const folder = findPackage(name);
  return folder === undefined ? undefined : readPackage(folder).version;
}

function readPackage(folder: string): PackageFacts {
  return Package.parse(JSON.parse(readFileSync(join(folder, "package.json"), "utf8")));
}

export const SubsystemData = z.strictObject({
  name: z.string().describe("The room's name"),
  specifier: z
    .string()
    .nullable()
    .describe("What a program imports, such as `skein/core`; null for what is not for programs"),
  file_count: z.int().describe("How many files it is made of"),
  size_bytes: z.int().describe("Their size together"),
  exports: z.array(z.string()).describe("The names that a program can import, types not counted"),
});
export type SubsystemData = z.infer<typeof SubsystemData>;

/** Looks at the parts of the installed package: their files, and what each lets a program import. */
export async function findSubsystems(): Promise<readonly SubsystemData[]> {
  const { name, exports } = readOwnPackage();
  const dist = join(packageRoot(), "dist");
  const entries = await readdir(dist, { withFileTypes: true });
  // What is only carried along, such as a binding of SQLite's, is no part.
  const rooms = entries
    .filter((entry) => entry.isDirectory() && entry.name !== "carried")
    .map(({ name: room }) => room);
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
