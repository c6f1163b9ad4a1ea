import { createHash } from "node:crypto";
import { SkeinError } from "../../core/internal.ts";
import { type BytePath, toText } from "../files/byte-path.ts";
import { type ObjectReader, STATE_LIMITS } from "./object-reader.ts";

export function blobId(content: Uint8Array): string {
  return objectId("blob", content);
}

export interface TreeEntry {
  readonly mode: string;
  readonly name: BytePath;
  readonly oid: string;
}

export function treeId(entries: readonly TreeEntry[]): string {
  return objectId("tree", treeContent(entries));
}

export function treeContent(entries: readonly TreeEntry[]): Buffer {
  const text = inTreeOrder(entries).map(
    ({ mode, name, oid }) => `${mode} ${name}\0${Buffer.from(oid, "hex").toString("latin1")}`,
  );
  return Buffer.from(text.join(""), "latin1");
}

export function objectId(type: string, content: Uint8Array): string {
  return createHash("sha1").update(`${type} ${content.byteLength}\0`).update(content).digest("hex");
}

/** Git sorts a folder as if its name ended in a slash, so that all paths are in order. */
export function inTreeOrder(entries: readonly TreeEntry[]): readonly TreeEntry[] {
  const sortName = ({ mode, name }: TreeEntry): string => (mode === "40000" ? `${name}/` : name);
  return entries.toSorted((left, right) => (sortName(left) < sortName(right) ? -1 : 1));
}

/** Reads a git tree. It may come from somebody else: what git itself would not write, such as one name twice, is refused. */
export function parseTreeEntries(content: Buffer): readonly TreeEntry[] {
  const entries: TreeEntry[] = [];
  const names = new Set<BytePath>();
  for (let start = 0; start < content.length;) {
    const space = content.indexOf(32, start);
    const zero = space === -1 ? -1 : content.indexOf(0, space);
    const end = zero + 1 + ID_BYTES;
    const mode = content.toString("latin1", start, Math.max(space, start));
    const isWhole = zero !== -1 && end <= content.length;
    if (!isWhole || !MODES.has(mode)) throw forged(`an entry with the mode ${mode.slice(0, 10)}`);
    const name: BytePath = content.toString("latin1", space + 1, zero);
    checkStoredPath(name);
    if (name.includes("/") || name.length > MOST_NAME_BYTES || names.has(name)) {
      throw forged(`the name ${JSON.stringify(name.slice(0, 100))}`);
    }
    names.add(name);
    entries.push({ mode, name, oid: content.toString("hex", zero + 1, end) });
    start = end;
  }
  return entries;
}

const ID_BYTES = 20;
const MOST_NAME_BYTES = 255;
/** Folders, files, executable files and links; a commit in a tree is what no snapshot holds. */
const MODES = new Set(["40000", "100644", "100755", "120000"]);

function forged(what: string): SkeinError {
  return new SkeinError(`A tree in the store has ${what}, which is not allowed`, {
    kind: "policy",
    hint: "It was not made by Skein, or is damaged: skein verify shows what else is; nothing was changed",
  });
}

export async function readTree(objects: Pick<ObjectReader, "content">, oid: string): Promise<readonly TreeEntry[]> {
  return parseTreeEntries(await objects.content(oid, { type: "tree", mostBytes: STATE_LIMITS.partBytes }));
}

/** Restoring a state of somebody else's must not lead out of the workspace, nor into a repository's own folder. */
export function checkStoredPath(path: BytePath): void {
  if (isTreePath(path)) return;
  throw forgedError(`A snapshot holds the forbidden path ${JSON.stringify(toText(path))}`, toText(path));
}

/** The error for what no capture makes, and so somebody else did. */
export function forgedError(message: string, target: string): SkeinError {
  return new SkeinError(message, { kind: "policy", target, hint: "It was not made by Skein; nothing was changed" });
}

export function isTreePath(path: BytePath): boolean {
  return !path.split("/").some((name) => /^\.{0,2}$/.test(name) || isGitName(name));
}

/** Whether some file system takes a name for `.git`: in other letters, or, as HFS+ does, with characters that it passes over. */
export function isGitName(name: BytePath): boolean {
  return GIT.test(UNSEEN.test(name) ? name.replaceAll(EVERY_UNSEEN, "") : name);
}

const GIT = /^\.git$/i;
/** U+200C to U+200F, U+202A to U+202E, U+206A to U+206F and U+FEFF, as bytes. */
const UNSEEN = /\xe2\x80[\x8c-\x8f\xaa-\xae]|\xe2\x81[\xaa-\xaf]|\xef\xbb\xbf/;
const EVERY_UNSEEN = new RegExp(UNSEEN.source, "g");
