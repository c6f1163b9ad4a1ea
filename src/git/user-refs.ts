import { readdirSync } from "node:fs";
import { join } from "node:path";
import { defined } from "../core/internal.ts";
import { type BytePath, toBytePath, toSystemPath } from "./files/byte-path.ts";
import { isPlainPath, lookAt, readSmallFile } from "./files/plain-files.ts";
import { findUserRepository, type UserRepository } from "./user-repository.ts";

export interface UserHead {
  /** The commit that is checked out; none in a repository without commits. */
  readonly head?: string;
  /** The branch in full, `refs/heads/main`; none where the head is detached. */
  readonly branch?: string;
  readonly detached: boolean;
}

/** Finds the repository at a directory's root and reads where its HEAD is; undefined where there is none, or none that can be read. */
export function readUserHead(directory: string) {
  const user = findUserRepository(directory);
  const head = user && readHead(user);
  return user && head ? { user, head } : undefined;
}

/** The commit that a ref names, read from the files; undefined where there is none, or none that a SHA-1 names. */
export function readRef({ commonDirectory }: UserRepository, ref: string): string | undefined {
  const found = findRef(commonDirectory, ref);
  return found !== undefined && OID.test(found) ? found : undefined;
}

/** What stands for a ref in its file; an empty text where that is a link, a pipe or huge. */
function findRef(commonDirectory: string, ref: string): string | undefined {
  if (!isPlainPath(commonDirectory, ref)) return "";
  const stats = lookAt(join(commonDirectory, ref));
  if (stats && !stats.isDirectory()) return readSmallFile(join(commonDirectory, ref))?.toString("latin1").trim() ?? "";
  const packed = `\n${readPackedRefs(commonDirectory)}`;
  const end = packed.indexOf(` ${toBytePath(ref)}\n`);
  return end === -1 ? undefined : packed.slice(packed.lastIndexOf("\n", end) + 1, end);
}

function readPackedRefs(commonDirectory: string): string {
  return readSmallFile(join(commonDirectory, "packed-refs"), 256 * 1024 * 1024)?.toString("latin1") ?? "";
}

function readHead(user: UserRepository): UserHead | undefined {
  const text = readSmallFile(join(user.gitDirectory, "HEAD"))?.toString("utf8").trim() ?? "";
  if (OID.test(text)) return { head: text, detached: true };
  const branch = /^ref: (refs\/\S+)$/.exec(text)?.[1];
  // A repository with another ref format says so here; where it stands is then not known to us.
  if (branch === undefined || !isBranchName(branch)) return undefined;
  const head = findRef(user.commonDirectory, branch);
  // A ref to a ref, or the longer ids of SHA-256, which our store cannot name.
  if (head !== undefined && !OID.test(head)) return undefined;
  return { ...defined({ head }), branch, detached: false };
}

/** Reads the user's branches, tags and what is known of remote ones, from the files: git would wait at a pipe among them. */
export function readUserRefs({ commonDirectory }: UserRepository): Map<BytePath, string> {
  const refs = new Map<BytePath, string>();
  for (const line of readPackedRefs(commonDirectory).split("\n")) add(refs, line.slice(41), line.slice(0, 40));
  for (const folder of FOLDERS) readLoose(toBytePath(commonDirectory), folder, refs);
  return refs;
}

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
  if (isKnown && isRefName(name) && OID.test(oid)) refs.set(name, oid);
}

/** What `git check-ref-format` takes; git refuses a whole `packed-refs` for one name that could be dangerous. */
export function isRefName(name: string): boolean {
  // oxlint-disable-next-line no-control-regex -- git forbids control characters; the last is for bytes that are no UTF-8
  return !/[\x00-\x20\x7f~^:?*[\\\ufffd]|\.\.|@\{|\/\.|\/\/|\.lock(?:\/|$)|[/.]$/.test(name);
}

export function isBranchName(name: string): boolean {
  return (
    name.startsWith("refs/heads/") &&
    isRefName(name) &&
    name.length <= 1000 &&
    name.split("/").every((part) => part !== "" && Buffer.byteLength(part) <= 200)
  );
}

const OID = /^[0-9a-f]{40}$/;
