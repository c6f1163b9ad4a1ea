import { groupBy } from "../../core/index.ts";
import { type BytePath, collectGit } from "../../git/index.ts";
import type { Shadow } from "../memory/shadow.ts";
import type { Repository } from "../store/repository.ts";
import type { FolderNode } from "./tree-node.ts";

export interface StatPass {
  /** The tree that the files were compared with. */
  readonly compared: FolderNode;
  /** For each folder the names of files that are gone or look different. */
  readonly dirty: ReadonlyMap<BytePath, ReadonlySet<BytePath>>;
}

/**
 * Has git look at every file of a tree, on all cores, and tell which do not look as they did. Git reads no content and
 * runs nothing: it compares what lstat gives with the shadow index. Undefined where its answer cannot be relied on.
 */
export async function runStatPass(
  { gitDirectory }: Repository,
  directory: string,
  { shadow, signal }: { readonly shadow: Shadow; readonly signal: AbortSignal | undefined },
): Promise<StatPass | undefined> {
  const { exitCode, stdout, stderr } = await collectGit({
    gitDirectory,
    workTree: directory,
    cwd: directory,
    settings: SETTINGS,
    env: { GIT_INDEX_FILE: shadow.path },
    args: ["diff-files", "--raw", "-z", "--no-renames", "--no-ext-diff", "--ignore-submodules=all"],
    signal,
  });
  // A file that cannot be looked at is told on stderr only, and then passed over.
  if (exitCode !== 0 || stderr !== "") return undefined;
  const dirty = parseDirty(stdout.toString("latin1"));
  // A missing index is an empty one to git, in which nothing has changed.
  return dirty.get("")?.has(shadow.sentinel) ? { compared: shadow.root, dirty } : undefined;
}

/** Every difference that lstat can show counts, and nothing else is asked. */
const SETTINGS = [
  "core.bare=false",
  "core.preloadIndex=true",
  "core.trustctime=true",
  "core.checkStat=default",
  "core.fileMode=true",
  "core.symlinks=true",
  "core.ignoreStat=false",
  "core.sparseCheckout=false",
  "core.splitIndex=false",
];

/** Each record is a head that begins with a colon, and a path. */
function parseDirty(output: string): StatPass["dirty"] {
  const paths = output.split("\0").filter((_, index) => index % 2 === 1);
  const byFolder = groupBy(paths, (path) => path.slice(0, Math.max(path.lastIndexOf("/"), 0)));
  const nameOf = (path: BytePath): BytePath => path.slice(path.lastIndexOf("/") + 1);
  return new Map(Array.from(byFolder, ([folder, below]) => [folder, new Set(below.map(nameOf))]));
}
