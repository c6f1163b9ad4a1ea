import { createHash } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type Clock, PRIVATE_FOLDER, SkeinError } from "../core/index.ts";
import { takeLock, type HeldLock } from "./lock-file.ts";
import type { Repository } from "./repository.ts";
import { storageError } from "./storage-error.ts";

/** Takes a directory for one writer, a turn or a restore, or says who has it. Nothing waits: a turn takes minutes. */
export async function claimDirectory(repository: Repository, directory: string, clock: Clock): Promise<HeldLock> {
  const name = createHash("sha256").update(directory).digest("hex").slice(0, 32);
  const path = join(repository.home, "writers", `${name}.lock`);
  try {
    await mkdir(dirname(path), PRIVATE_FOLDER);
    return await takeLock(path, { clock, waitMs: -1 });
  } catch (cause) {
    const isTaken = cause instanceof SkeinError && cause.kind === "timeout";
    if (!isTaken) throw storageError("The directory could not be taken", directory, cause);
    const who = /process \d+/.exec(cause.message)?.[0] ?? "another process";
    throw new SkeinError(`A turn or a restore is running in ${directory} (${who})`, {
      kind: "workspace_busy",
      target: directory,
      retryable: true,
      hint: "Wait until it has ended, or work in a branch: skein branch @",
      cause,
    });
  }
}
