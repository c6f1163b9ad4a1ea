import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  lstatSync,
  openSync,
  type Stats,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { SkeinError } from "../../core/index.ts";
import type { ObjectReader } from "../../git/index.ts";
import type { FileState } from "../snapshot-store.ts";

export interface FileToWrite {
  readonly state: FileState;
  /** Its content; undefined where it is too large to be held in memory, and goes from git to the disk. */
  readonly content: Buffer | undefined;
  readonly objects: ObjectReader;
}

/** Writes a file or a link where nothing is yet, and gives how it looks right after. */
export async function writeStoredFile(path: string | Buffer, { state, content, objects }: FileToWrite): Promise<Stats> {
  const { kind, mode, contentId = "" } = state;
  if (kind === "symlink") {
    if (!content || !isLinkTarget(content)) {
      const hint = "It was not made by Skein";
      throw new SkeinError("A snapshot holds a link with an impossible target", {
        kind: "policy",
        target: contentId,
        hint,
      });
    }
    symlinkSync(content, path);
    return lstatSync(path);
  }
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  const file = openSync(path, flags, 0o600);
  try {
    if (content) writeFileSync(file, content);
    else await objects.writeTo(contentId, file);
    fchmodSync(file, mode);
    return fstatSync(file);
  } finally {
    closeSync(file);
  }
}

/** Whether a file system can hold a link to this. */
export function isLinkTarget(content: Buffer): boolean {
  return content.length > 0 && content.length < 4096 && !content.includes(0);
}
