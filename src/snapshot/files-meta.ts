import { SkeinError } from "../core/internal.ts";
import { type BytePath, checkStoredPath, joinBytePath } from "../git/index.ts";
import { type FolderNode, modeKey } from "./capture/tree-node.ts";

/** What a git tree cannot say of files: empty folders, and permissions beyond the executable bit. */
export interface FilesMeta {
  /** The modes of files (`f`), executable files (`x`) and folders (`d`) that `modes` does not name. */
  readonly usual: { readonly f: number; readonly x: number; readonly d: number };
  readonly modes: ReadonlyMap<BytePath, number>;
  readonly emptyFolders: ReadonlySet<BytePath>;
}

/** Writes a tree's `files.meta`: the same bytes for the same tree, so that equal trees have equal ids. */
export function formatFilesMeta(root: FolderNode): Buffer {
  const usual = { f: mostCommon(root, "f", 0o644), x: mostCommon(root, "x", 0o755), d: mostCommon(root, "d", 0o755) };
  const expected = usualModes(usual);
  const lines: string[] = [];
  const visit = (folder: FolderNode, path: BytePath): void => {
    if ([...folder.modes.keys()].every((key) => expected.has(key))) return;
    for (const [name, node] of folder.entries) {
      const key = modeKey(node);
      const below = joinBytePath(path, name);
      if (key !== undefined && !expected.has(key)) lines.push(`${node.mode.toString(8)} ${below}`);
      if (node.kind !== "folder") continue;
      if (node.entries.size === 0) lines.push(`empty ${below}`);
      visit(node, below);
    }
  };
  visit(root, "");
  const header = [HEADER, ...expected].join(" ");
  return Buffer.from([header, ...lines.toSorted(byPath), ""].join("\0"), "latin1");
}

/** The usual modes as folders count them: `f644 x755 d755`. */
export function usualModes({ f, x, d }: FilesMeta["usual"]): ReadonlySet<string> {
  return new Set([`f${f.toString(8)}`, `x${x.toString(8)}`, `d${d.toString(8)}`]);
}

export function parseFilesMeta(content: Buffer): FilesMeta {
  const [header = "", ...lines] = content.toString("latin1").split("\0");
  const found = HEADER_PATTERN.exec(header);
  if (!found) throw damaged(header);
  const [f = 0, x = 0, d = 0] = found.slice(1).map(permissions);
  const modes = new Map<BytePath, number>();
  const emptyFolders = new Set<BytePath>();
  for (const line of lines.filter(Boolean)) {
    const space = line.indexOf(" ");
    const [word, path] = [line.slice(0, space), line.slice(space + 1)];
    checkStoredPath(path);
    if (word === "empty") emptyFolders.add(path);
    else if (/^[0-7]{1,4}$/.test(word)) modes.set(path, permissions(word));
    else throw damaged(line);
  }
  return { usual: { f, x, d }, modes, emptyFolders };
}

const HEADER = "skein-files 1";
const HEADER_PATTERN = /^skein-files 1 f([0-7]{1,4}) x([0-7]{1,4}) d([0-7]{1,4})$/;

/** Who may read, write and run it. A state from somebody else makes nothing run as its owner, whoever runs it. */
function permissions(digits: string): number {
  return Number.parseInt(digits, 8) & 0o777;
}

function damaged(line: string): SkeinError {
  return new SkeinError(`A snapshot's files.meta has ${JSON.stringify(line.slice(0, 40))}`, {
    kind: "parse",
    hint: "It was written by a newer version of Skein, or is damaged: run verify",
  });
}

function mostCommon(root: FolderNode, letter: string, otherwise: number): number {
  const counted = [...root.modes].filter(([key]) => key.startsWith(letter));
  const [best] = counted.toSorted(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  return best === undefined ? otherwise : Number.parseInt(best[0].slice(1), 8);
}

function byPath(left: string, right: string): number {
  const [a, b] = [left.slice(left.indexOf(" ")), right.slice(right.indexOf(" "))];
  return a === b ? (left < right ? -1 : 1) : a < b ? -1 : 1;
}
