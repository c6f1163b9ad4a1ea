import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";

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

/** What a package says of itself. */
export type PackageFacts = z.infer<typeof Package>;

/** Where this package is installed. */
export const PACKAGE_ROOT = fileURLToPath(new URL("../../..", import.meta.url));

const require = createRequire(import.meta.url);

/** What this package says of itself. */
export function readOwnPackage(): PackageFacts {
  return readPackage(PACKAGE_ROOT);
}

/** The folder of an installed package, as this one would find it; undefined where it is not installed. */
export function findPackage(name: string): string | undefined {
  // Asking for the file by its name would not do: a package need not export its package.json.
  const folders = require.resolve.paths(name) ?? [];
  return folders.map((folder) => join(folder, name)).find((folder) => existsSync(join(folder, "package.json")));
}

/** The version of an installed package; undefined where it is not installed. */
export function installedVersion(name: string): string | undefined {
  const folder = findPackage(name);
  return folder === undefined ? undefined : readPackage(folder).version;
}

function readPackage(folder: string): PackageFacts {
  return Package.parse(JSON.parse(readFileSync(join(folder, "package.json"), "utf8")));
}
