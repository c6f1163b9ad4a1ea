import { dirname, join } from "node:path";
import { readUserHead } from "../user-git/git-state.ts";
import { lookAt } from "../../git/index.ts";

/** A repository of which no state of a workspace holds HEAD and the index, although the workspace's files are in it. */
export interface LeftOutGit {
  /**
   * `subdirectory`: the workspace is a folder of it, and putting it back would change what is outside. `unsupported`: its `.git` is a
   * link, points to a place that does not point back, or keeps its refs or ids in a way that is not read.
   */
  readonly reason: "subdirectory" | "unsupported";
  /** The folder that its `.git` is in. */
  readonly repository: string;
}

/** Tells whether a workspace, by its real path, is in a repository that its states do not hold; undefined where all is held, or there is none. */
export function findLeftOutGit(directory: string): LeftOutGit | undefined {
  if (lookAt(join(directory, ".git"))) {
    return readUserHead(directory) ? undefined : { reason: "unsupported", repository: directory };
  }
  for (
    let [inner, outer] = [directory, dirname(directory)];
    outer !== inner;
    [inner, outer] = [outer, dirname(outer)]
  ) {
    if (isRepository(join(outer, ".git"))) return { reason: "subdirectory", repository: outer };
  }
  return undefined;
}

/** Git looks further up where it finds neither; what it would make of the place a file names, it says itself. */
function isRepository(path: string): boolean {
  const stats = look(path);
  return stats?.isFile() === true || look(join(path, "HEAD")) !== undefined;
}

/** A folder further up may be closed to us: then git does not find what is in it either. */
function look(path: string): ReturnType<typeof lookAt> {
  try {
    return lookAt(path);
  } catch {
    return undefined;
  }
}
