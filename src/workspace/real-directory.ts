import { realpath } from "node:fs/promises";
import { privateView } from "../core/index.ts";

/** By which path a directory's files are read and written, whatever name it was given by; one path for one directory. */
export async function realDirectory(directory: string): Promise<string> {
  return privateView(directory) ?? (await realpath(directory));
}
