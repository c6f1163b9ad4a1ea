import { toBytePath } from "../git/index.ts";
import { selectByGlobs } from "../snapshot/index.ts";
import type { HostMount } from "./host-mount.ts";

/** Which entries of a mount are copied. */
export interface MountSelection {
  /** Whether this file is copied. */
  takes(path: string): boolean;
  /** Whether this folder is looked into. */
  enters(path: string): boolean;
}

/** Reads the globs of a mount. A folder that is excluded whole is not looked into, nor one below which nothing is included. */
export function selectByMount({
  includeGlob,
  excludeGlob,
}: Pick<HostMount, "includeGlob" | "excludeGlob">): MountSelection {
  const included = selectByGlobs(includeGlob.map(anywhere));
  const excluded = selectByGlobs(excludeGlob.map(anywhere));
  // `name/**` names all below a folder and so the folder too.
  const excludedFolders = selectByGlobs(excludeGlob.map((glob) => anywhere(glob).replace(/(\/\*\*)+$/u, "")));
  const takesAll = includeGlob.length === 0;
  return {
    takes: (path) => !excluded.takesFile(toBytePath(path)) && (takesAll || included.takesFile(toBytePath(path))),
    enters: (path) =>
      !excludedFolders.takesFolder(toBytePath(path)) &&
      (takesAll || included.takesFolder(toBytePath(path)) || included.enters(toBytePath(path))),
  };
}

/** A glob without a slash in it holds at any depth. */
function anywhere(glob: string): string {
  const trimmed = glob.replace(/^\.\//u, "").replace(/\/+$/u, "");
  return trimmed.includes("/") ? trimmed : `**/${trimmed}`;
}
