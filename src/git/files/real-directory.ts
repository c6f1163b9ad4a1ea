import { mkdir, realpath } from "node:fs/promises";
import { resolve } from "node:path";
import { checkTextPath, privateView } from "../../core/index.ts";
import { storageError } from "./storage-error.ts";

/** By which path a directory's files are read and written, whatever name it was given by; one path for one directory. */
export async function realDirectory(directory: string): Promise<string> {
  return privateView(directory) ?? checkTextPath(await realpath(directory));
}

/** Makes a directory where there is none. */
export async function makeDirectory(directory: string): Promise<void> {
  await mkdir(checkTextPath(resolve(directory)), { recursive: true }).catch((cause: unknown) => {
    throw storageError("The directory cannot be created", directory, cause);
  });
}
