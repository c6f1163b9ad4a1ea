import { readdirSync } from "node:fs";
import { join } from "node:path";
import { toBytePath, toSystemPath, type BytePath } from "../files/byte-path.ts";
import { lookAt } from "../files/look-at.ts";
import { readSmallFile } from "../files/read-small-file.ts";
import type { UserRepository } from "../user-repository.ts";

/** Reads the user's branches, tags and what is known of remote ones, from the files: git would wait at a pipe among them. */
export function readUserRefs({ commonDirectory }: UserRepository): Map<BytePath, string> {
  const refs = new Map<BytePath, string>();
  const packed = readSmallFile(join(commonDirectory, "packed-refs"), 256 * 1024 * 1024)?.toString("latin1") ?? "";
  for (const line of packed.split("\n")) add(refs, line.slice(41), line.slice(0, 40));
  for (const folder of FOLDERS) readLoose(toBytePath(commonDirectory), folder, refs);
  return refs;
}

/** Writes refs as a `packed-refs` file. */
export function formatPackedRefs(refs: ReadonlyMap<BytePath, string>): Buffer {
  const sorted = [...refs].toSorted(([left], [right]) => (left < right ? -1 : 1));
  const lines = sorted.map(([name, oid]) => `${oid} ${name}\n`);
  return Buffer.from(`# pack-refs with: sorted \n${lines.join("")}`, "latin1");
}

const FOLDERS: readonly string[] = ["refs/heads", "refs/remotes", "refs/tags"];

function readLoose(commonDirectory: BytePath, folder: BytePath, refs: Map<BytePath, string>): void {
  const path = `${commonDirectory}/${folder}`;
  if (!lookAt(toSystemPath(path))?.isDirectory()) return;
  for (const entry of readdirSync(toSystemPath(path), { encoding: "latin1" })) {
    const name = `${folder}/${entry}`;
    const system = toSystemPath(`${commonDirectory}/${name}`);
    if (lookAt(system)?.isDirectory()) readLoose(commonDirectory, name, refs);
    else add(refs, name, readSmallFile(system)?.toString("latin1").trim() ?? "");
  }
}

function add(refs: Map<BytePath, string>, name: BytePath, oid: string): void {
  const isKnown = FOLDERS.some((folder) => name.startsWith(`${folder}/`));
  if (isKnown && isRefName(name) && /^[0-9a-f]{40}$/.test(oid)) refs.set(name, oid);
}

/** What `git check-ref-format` takes; git refuses a whole `packed-refs` for one name that could be dangerous. */
export function isRefName(name: string): boolean {
  // oxlint-disable-next-line no-control-regex -- git forbids control characters; the last is for bytes that are no UTF-8
  return !/[\x00-\x20\x7f~^:?*[\\\ufffd]|\.\.|@\{|\/\.|\/\/|\.lock(?:\/|$)|[/.]$/.test(name);
}
