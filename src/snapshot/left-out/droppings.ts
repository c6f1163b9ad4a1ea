import type { BytePath } from "../../git/index.ts";
import type { PlainFolder } from "../plain-tree.ts";
import type { PlainFile } from "../snapshot-reader.ts";

/** The CLI's own notes for its sandbox (2.1.325), which it makes in the directory that it works in. */
const DROPPING = /(?:^|\/)\.claude\/\.cc-writes$/;

/** The folder that it makes for them, and leaves empty where a command in the sandbox failed to start. */
const DROPPING_FOLDER = /(?:^|\/)\.claude$/;

export function isDropping(path: BytePath): boolean {
  return DROPPING.test(path);
}

/** Whether a folder in which nothing is held is one that the CLI made for its notes: it is no part of anybody's work either. */
export function isDroppingFolder(path: BytePath, ignored: ReadonlySet<BytePath>): boolean {
  return DROPPING_FOLDER.test(path) && [...ignored].every((name) => isDropping(`${path}/${name}`));
}

/** A tree without such things, which an older version, or somebody else, may have put into a state; the same object where it has none. */
export function withoutDroppings(folder: PlainFolder, path: BytePath = ""): PlainFolder {
  const entries = new Map<BytePath, PlainFile | PlainFolder>();
  let isSame = true;
  for (const [name, node] of folder.entries) {
    const below = path === "" ? name : `${path}/${name}`;
    const cleaned = node.kind === "folder" ? withoutDroppings(node, below) : node;
    const isEmpty = cleaned.kind === "folder" && cleaned.entries.size === 0;
    const isKept = !isDropping(below) && !(isEmpty && isDroppingFolder(below, new Set()));
    if (isKept) entries.set(name, cleaned);
    isSame &&= isKept && cleaned === node;
  }
  return isSame ? folder : { ...folder, entries };
}

export const DROPPING_KEY: string = `${DROPPING.source} ${DROPPING_FOLDER.source}`;
