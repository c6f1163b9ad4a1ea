import { lstatSync, type Stats } from "node:fs";
import { errorCode } from "./storage-error.ts";

/** Looks at what is at a path, not through a link; undefined where nothing can be there. */
export function lookAt(path: string | Buffer): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (errorCode(error) === "ENOTDIR") return undefined;
    throw error;
  }
}
