import { existsSync, statSync } from "node:fs";
import { readdir, rm, stat, writeFile } from "node:fs/promises";
import { basename, join, relative, sep } from "node:path";
import { createId, PRIVATE_FILE, SkeinError } from "../../core/internal.ts";
import type { ListedFile } from "../discover/list-files.ts";
import { isUnreadable, throwIfCancelled, toSkipped, type SkippedPath } from "../problem.ts";
import { readRange } from "../read/read-bytes.ts";
import { keepUpTo, type KeptState, measureKept, NOT_KEPT, readKept, unpackKept } from "./kept-file.ts";

/** Where the transcripts of a folder are, and where their copies. */
export interface CopyPlace {
  /** The folder of the projects' folders. */
  readonly base: string;
  /** Skein's folder for them. */
  readonly folder: string;
}

/** The copies' folder. */
const KEPT = "kept";
/** Lies beside the copies where new ones are to be made. */
const SETTING = "keep";

export function copyPath({ base, folder }: CopyPlace, path: string): string {
  return join(folder, KEPT, `${relative(base, path)}.gz`);
}

/** Whether copies of transcripts are kept from now on. */
export function isKeeping(folder: string): boolean {
  return existsSync(join(folder, SETTING));
}

/** Says whether copies are kept from now on, by an empty file. Copies that there are stay. */
export async function setKeeping(folder: string, isOn: boolean): Promise<void> {
  const path = join(folder, SETTING);
  try {
    await (isOn ? writeFile(path, "", { mode: PRIVATE_FILE }) : rm(path, { force: true }));
  } catch (cause) {
    throw new SkeinError(`The setting that transcripts are kept cannot be changed: ${path}`, {
      kind: "filesystem",
      target: path,
      cause,
      hint: "See that SKEIN_HOME, or the folder for user data, may be written",
    });
  }
}

/** How many copies there are, and what they take on the disk. */
export async function sizeOfCopies(place: CopyPlace): Promise<{ readonly copies: number; readonly copyBytes: number }> {
  const copies = await listCopies(place);
  const sizes = copies.map(({ copy }) => statSync(copy, { throwIfNoEntry: false })?.size ?? 0);
  return { copies: copies.length, copyBytes: sizes.reduce((sum, size) => sum + size, 0) };
}

/** Brings the copy of a transcript up to a byte. */
export async function keepFile(place: CopyPlace, path: string, offset: number): Promise<void> {
  const copy = copyPath(place, path);
  await keepUpTo(path, copy, stateOf(copy, path), offset);
}

const EDGE_BYTES = 4096;

/** How far a copy goes that is of this transcript; one of another that had its name is made anew. */
function stateOf(copy: string, path: string): KeptState {
  if (!existsSync(copy)) return NOT_KEPT;
  const state = measureKept(copy);
  const { keptRawBytes } = state;
  const isSame = [0, Math.max(0, keptRawBytes - EDGE_BYTES)].every((start) => {
    const size = Math.min(EDGE_BYTES, keptRawBytes);
    return readKept(copy, start, size).equals(readRange(path, start, size));
  });
  return isSame ? state : NOT_KEPT;
}

/** A copy, and the transcript that it is of. */
export interface KeptCopy {
  readonly copy: string;
  readonly path: string;
}

export async function listCopies({ base, folder }: CopyPlace): Promise<readonly KeptCopy[]> {
  const root = join(folder, KEPT);
  const entries = await readdir(root, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isFile() && entry.name.endsWith(".jsonl.gz"))
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted()
    .map((copy) => ({ copy, path: join(base, relative(root, copy).slice(0, -".gz".length)) }));
}

/** Hands each copy to `read` as a transcript that Claude Code has deleted, with the place of its bytes; gives those that cannot be read. */
export async function readCopies(
  { base, folder }: CopyPlace,
  copies: readonly KeptCopy[],
  read: (listed: ListedFile, source: string) => void | Promise<void>,
  signal?: AbortSignal,
): Promise<readonly SkippedPath[]> {
  const skipped: SkippedPath[] = [];
  const source = join(folder, `restored.${createId()}.jsonl`);
  try {
    for (const { copy, path } of copies) {
      throwIfCancelled(signal, "Reading the copies of transcripts");
      try {
        await unpackKept(copy, source);
        const { mtimeMs } = await stat(copy);
        await read(describe(base, path, measureKept(copy).keptRawBytes, mtimeMs), source);
      } catch (error) {
        if (!isUnreadable(error)) throw error;
        skipped.push(toSkipped(copy, error));
      }
    }
  } finally {
    await rm(source, { force: true });
  }
  return skipped;
}

function describe(base: string, path: string, sizeBytes: number, modifiedAtMs: number): ListedFile {
  const [folder = "", parent = "", ...below] = relative(base, path).split(sep);
  return {
    path,
    folder,
    isSubagent: basename(path).startsWith("agent-"),
    parentSessionId: below.length > 0 ? parent : undefined,
    identity: "",
    sizeBytes,
    modifiedAtNs: `${Math.round(modifiedAtMs)}000000`,
    changedAtNs: "",
  };
}
