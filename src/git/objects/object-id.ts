import { createHash } from "node:crypto";
import type { BytePath } from "../files/byte-path.ts";

/** The id that git gives to this content. */
export function blobId(content: Uint8Array): string {
  return objectId("blob", content);
}

/** One line of a git tree. */
export interface TreeEntry {
  readonly mode: string;
  readonly name: BytePath;
  readonly oid: string;
}

/** The id that git gives to the tree with these entries. */
export function treeId(entries: readonly TreeEntry[]): string {
  return objectId("tree", treeContent(entries));
}

/** A tree as git writes it. */
export function treeContent(entries: readonly TreeEntry[]): Buffer {
  const sorted = entries.toSorted((left, right) => (sortName(left) < sortName(right) ? -1 : 1));
  const text = sorted.map(({ mode, name, oid }) => `${mode} ${name}\0${Buffer.from(oid, "hex").toString("latin1")}`);
  return Buffer.from(text.join(""), "latin1");
}

/** The id of an object of any type. */
export function objectId(type: string, content: Uint8Array): string {
  return createHash("sha1").update(`${type} ${content.byteLength}\0`).update(content).digest("hex");
}

/** Git sorts a folder as if its name ended in a slash. */
function sortName({ mode, name }: TreeEntry): string {
  return mode === "40000" ? `${name}/` : name;
}
