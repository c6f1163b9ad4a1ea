import { storeOf } from "../repository.ts";
import { hasStore } from "./workspace-file.ts";

/** Whether anything was ever recorded of a directory, by its real path. Nothing is made. */
export async function storeExists(realPath: string, home?: string): Promise<boolean> {
  return hasStore((await storeOf(realPath, home)).home);
}
