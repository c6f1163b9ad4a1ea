import type { BytePath } from "../../git/index.ts";
import type { Selection } from "../left-out/include-pattern.ts";

/** Selects what the user's index names, for git itself goes on tracking a file that a rule ignores. */
export function selectTracked(index: Buffer | undefined): Selection {
  if (index === undefined) return { takesFile: () => false, takesFolder: () => false, enters: () => false };
  const paths = (): TrackedPaths => read.get(index) ?? remember(index);
  return {
    takesFile: (path) => paths().files.has(path),
    takesFolder: () => false,
    enters: (folder) => paths().folders.has(folder),
  };
}

/** Adds one selection to another. */
export function selectEither(left: Selection, right: Selection): Selection {
  return {
    takesFile: (path) => left.takesFile(path) || right.takesFile(path),
    takesFolder: (path) => left.takesFolder(path) || right.takesFolder(path),
    enters: (folder) => left.enters(folder) || right.enters(folder),
  };
}

/** Paths that are wanted, with the folders that lead to them. */
interface TrackedPaths {
  readonly files: ReadonlySet<BytePath>;
  readonly folders: ReadonlySet<BytePath>;
}

/** The folders above some paths. */
export function foldersAbove(paths: Iterable<BytePath>): ReadonlySet<BytePath> {
  const folders = new Set<BytePath>();
  for (const path of paths) {
    for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) {
      const folder = path.slice(0, end);
      if (folders.has(folder)) break;
      folders.add(folder);
    }
  }
  return folders;
}

const read = new WeakMap<Buffer, TrackedPaths>();

function remember(index: Buffer): TrackedPaths {
  const lines = index.toString("latin1").split("\0");
  const files = new Set(lines.map((line) => line.slice(line.indexOf("\t") + 1)));
  const paths = { files, folders: foldersAbove(files) };
  read.set(index, paths);
  return paths;
}
