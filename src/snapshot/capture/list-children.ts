import { lstatSync, readdirSync } from "node:fs";
import { type BytePath, isGitName, joinBytePath, toSystemPath, toText } from "../../git/index.ts";
import { type Child, noteUnreadable, type Place, type Scanner, type UnheldFolder } from "./scan-place.ts";
import type { FileNode, FolderNode } from "./tree-node.ts";
import { holdsIgnored } from "./upper-layer.ts";

/** Everything in a folder but git's own and Skein's own; what cannot be looked at is listed as left out. */
export function listChildren(
  scanner: Scanner,
  place: Place,
  stamp: string | undefined,
): { readonly children: readonly Child[]; readonly unheld: readonly UnheldFolder[]; readonly isPlain: boolean } {
  const { root, startedMs, reserved } = scanner.request;
  const { path } = place;
  const folder = path === "" ? root : `${root}/${path}`;
  const children: Child[] = [];
  const unheld: UnheldFolder[] = [];
  const sameNode = createSameNode(scanner, place);
  let isPlain = true;
  for (const name of namesIn(scanner, { ...place, folder, stamp })) {
    if (isGitName(name)) {
      // The workspace's own is recorded by itself.
      if (name === ".git" && path === "") continue;
      isPlain = false;
      const reason = name === ".git" ? "repository" : "reserved-name";
      scanner.leftOut.push({ path: toText(joinBytePath(path, name)), reason, sizeBytes: 0 });
      continue;
    }
    if (reserved.size > 0 && reserved.has(joinBytePath(path, name))) continue;
    const node = sameNode(name);
    const same = node ? undefined : unheldFolder(scanner, place, name);
    if (node) children.push({ name, node });
    if (same) unheld.push({ name, folder: same });
    if (node ?? same) continue;
    try {
      const stats = lstatSync(toSystemPath(`${folder}/${name}`), { throwIfNoEntry: false });
      if (stats === undefined) scanner.moved.add(joinBytePath(path, name));
      else children.push({ name, stats });
      if (stats && stats.ctimeMs > startedMs && !stats.isDirectory()) scanner.moved.add(joinBytePath(path, name));
      if (!stats?.isDirectory()) scanner.looked += 1;
    } catch (error) {
      isPlain = false;
      noteUnreadable(scanner, joinBytePath(path, name), error);
    }
  }
  return { children, unheld, isPlain };
}

/** What a layer does not hold has not changed; a folder with ignored names in it depends on more than itself. */
function unheldFolder({ request: { layer } }: Scanner, place: Place, name: BytePath): FolderNode | undefined {
  if (!layer || place.rulesChanged || place.insideIgnored || place.unruly || RULES_NAME.test(name)) return undefined;
  const node = place.previous?.entries.get(name);
  if (node?.kind !== "folder" || place.previous?.ignored.has(name) || layer.names(place.path)?.has(name))
    return undefined;
  return holdsIgnored(node) ? undefined : node;
}

/** What stands under such a name tells which rules there are. */
const RULES_NAME = /^\.(?:git|skein)ignore$/;

/** Gives the file of the last time where git has compared just that and found it the same, or no layer holds it. */
function createSameNode(
  { request: { pass, layer } }: Scanner,
  { path, previous, compared }: Place,
): (name: BytePath) => FileNode | undefined {
  if (layer && previous) {
    const held = layer.names(path);
    return (name) => {
      const node = held?.has(name) ? undefined : previous.entries.get(name);
      return node?.kind === "folder" ? undefined : node;
    };
  }
  if (!pass || !previous || !compared) return () => undefined;
  const dirty = pass.dirty.get(path);
  return (name) => {
    const node = previous.entries.get(name);
    if (!node || node.kind === "folder" || node.racy || node !== compared.entries.get(name)) return undefined;
    return dirty?.has(name) ? undefined : node;
  };
}

/** The names in a folder; those of the last time where its own times say that they are the same. */
function namesIn(
  scanner: Scanner,
  { path, folder, stamp, previous, rulesChanged }: Place & { folder: BytePath; stamp: string | undefined },
): Iterable<BytePath> {
  if (previous && stamp !== undefined && previous.stamp === stamp && !rulesChanged) {
    return new Set([...previous.entries.keys(), ...previous.ignored]);
  }
  try {
    return readdirSync(toSystemPath(folder), { encoding: "latin1" });
  } catch (error) {
    if (path === "") throw error;
    noteUnreadable(scanner, path, error);
    return [];
  }
}
