import { createHash } from "node:crypto";
import { realpath } from "node:fs/promises";
import { createFileReader } from "./file-reader.ts";
import { folderPrograms, type FolderProgram } from "./folder-programs.ts";
import { namedFiles } from "./named-files.ts";
import { readConfiguration } from "./read-configuration.ts";

/** What a folder would have the CLI load and run, as it is now. */
export interface FolderInspection {
  /** Its real path. */
  readonly directory: string;
  /** The files that were looked at: configuration, and what it names inside the folder. None where the folder configures nothing. */
  readonly files: readonly string[];
  /** What they would run, set or allow. */
  readonly programs: readonly FolderProgram[];
  /** Changes with every byte of those files. */
  readonly hash: string;
}

/** Looks at what a folder would execute once its settings are read; executes nothing itself. */
export async function inspectFolder(
  directory: string,
  { env = process.env }: { readonly env?: Readonly<Record<string, string | undefined>> } = {},
): Promise<FolderInspection> {
  const real = await realpath(directory);
  const reader = createFileReader();
  const configuration = await readConfiguration(real, reader, env);
  for (const file of configuration) for (const named of await namedFiles(file, real)) await reader.read(named);
  const read = [...reader.files.values()].toSorted((left, right) => (left.path < right.path ? -1 : 1));
  const hash = createHash("sha256").update("skein-trust-1\0");
  for (const { path, sha256 } of read) hash.update(`${sha256} ${path}\0`);
  return {
    directory: real,
    files: read.map(({ path }) => path),
    programs: folderPrograms(configuration),
    hash: hash.digest("hex"),
  };
}
