import { constants } from "node:fs";
import { copyFile, mkdir, open, readdir, realpath, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ResourceExhaustionError, SkeinError, isInside } from "../../core/internal.ts";
import { storageError, toBytePath } from "../../git/index.ts";
import { selectByGlobs } from "../../snapshot/index.ts";
import type { HostMount } from "./host-mount.ts";

const PREVIEW_ENTRIES = 20;

export interface MountPreview {
  readonly hostPath: string;
  /** What the path really leads to. */
  readonly resolvedHost: string;
  readonly mountPath: string;
  readonly isDirectory: boolean;
  /** The first files, relative to the mount, in order. */
  readonly entries: readonly string[];
  readonly fileCount: number;
  readonly bytesCopied: number;
}

interface Copying {
  readonly mount: HostMount;
  readonly source: string;
  readonly target: string;
  readonly selection: ReturnType<typeof selectByMount>;
  /** Folders above the present one, by their real paths: a link back to one of them would never end. */
  readonly above: ReadonlySet<string>;
  readonly done: { files: string[]; bytes: number };
}

/** Copies a mount into a workspace, by reference where the file system can. What fails leaves the cleaning to the caller. */
export async function copyMount(mount: HostMount, workspace: string): Promise<MountPreview> {
  try {
    const source = await realpath(mount.hostPath);
    const isDirectory = (await stat(source)).isDirectory();
    const target = join(workspace, mount.mountPath);
    await mkdir(isDirectory ? target : dirname(target), { recursive: true });
    const done = { files: [], bytes: 0 };
    const copying: Copying = { mount, source, target, selection: selectByMount(mount), above: new Set([source]), done };
    if (isDirectory) await copyFolder(copying, "");
    else await copyOne(copying, source, "");
    return {
      hostPath: mount.hostPath,
      resolvedHost: source,
      mountPath: mount.mountPath,
      isDirectory,
      entries: isDirectory ? done.files.slice(0, PREVIEW_ENTRIES) : [mount.mountPath],
      fileCount: done.files.length,
      bytesCopied: done.bytes,
    };
  } catch (error) {
    throw storageError(`The mount of ${mount.hostPath} failed`, mount.hostPath, error);
  }
}

async function copyFolder(copying: Copying, folder: string): Promise<void> {
  const { selection, source, mount } = copying;
  const entries = await readdir(join(source, folder), { withFileTypes: true });
  for (const entry of entries.toSorted((left, right) => (left.name < right.name ? -1 : 1))) {
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) await enter(copying, path, join(source, path));
    else if (entry.isSymbolicLink() && mount.followSymlinks) await follow(copying, path);
    else if (entry.isFile() && selection.takes(path)) await copyOne(copying, join(source, path), path);
  }
}

async function enter(copying: Copying, path: string, real: string): Promise<void> {
  if (!copying.selection.enters(path)) return;
  await copyFolder({ ...copying, above: new Set([...copying.above, real]) }, path);
}

async function follow(copying: Copying, path: string): Promise<void> {
  const { source, above, selection } = copying;
  if (!selection.takes(path) && !selection.enters(path)) return;
  const real = await realpath(join(source, path));
  if (!isInside(real, source)) {
    const hint = "Leave the link out with `excludeGlob`, or mount its target";
    const message = `The link ${path} points outside ${source}, to ${real}`;
    throw new SkeinError(message, { kind: "policy", target: real, hint });
  }
  const isDirectory = (await stat(real)).isDirectory();
  if (!isDirectory && selection.takes(path)) await copyOne(copying, real, path);
  if (isDirectory && !above.has(real)) await enter(copying, path, real);
}

/** Reads the globs of a mount. A folder that is excluded whole is not looked into, nor one below which nothing is included. */
function selectByMount({ includeGlob, excludeGlob }: HostMount) {
  const included = selectByGlobs(includeGlob.map(anywhere));
  const excluded = selectByGlobs(excludeGlob.map(anywhere));
  // `name/**` names all below a folder and so the folder too.
  const excludedFolders = selectByGlobs(excludeGlob.map((glob) => anywhere(glob).replace(/(\/\*\*)+$/u, "")));
  const takesAll = includeGlob.length === 0;
  return {
    takes: (path: string) =>
      !excluded.takesFile(toBytePath(path)) && (takesAll || included.takesFile(toBytePath(path))),
    enters: (path: string) =>
      !excludedFolders.takesFolder(toBytePath(path)) &&
      (takesAll || included.takesFolder(toBytePath(path)) || included.enters(toBytePath(path))),
  };
}

/** A glob without a slash in it holds at any depth. */
function anywhere(glob: string): string {
  const trimmed = glob.replace(/^\.\//u, "").replace(/\/+$/u, "");
  return trimmed.includes("/") ? trimmed : `**/${trimmed}`;
}

/** Opened without following a link and looked at through its handle: what was swapped meanwhile is not copied. */
async function copyOne({ mount, target, done }: Copying, file: string, path: string): Promise<void> {
  await using handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  const stats = await handle.stat();
  if (!stats.isFile()) throw new SkeinError(`${file} is not a plain file`, { kind: "filesystem", target: file });
  done.bytes += stats.size;
  checkSize(mount, done.bytes);
  const place = join(target, path);
  await mkdir(dirname(place), { recursive: true });
  const throughHandle = process.platform === "linux" ? `/proc/self/fd/${handle.fd}` : file;
  await copyFile(throughHandle, place, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
  // It may have grown between the look and the copy.
  const { size } = await stat(place);
  done.bytes += Math.max(0, size - stats.size);
  checkSize(mount, done.bytes);
  done.files.push(path);
}

function checkSize({ hostPath, maxBytes = Infinity }: HostMount, bytes: number): void {
  if (bytes <= maxBytes) return;
  throw new ResourceExhaustionError(`${hostPath} is larger than its mount's limit of ${maxBytes} bytes`, {
    resource: "disk",
    target: hostPath,
    retryable: false,
    hint: "Raise `maxBytes`, or leave more out with `excludeGlob`",
  });
}
