import { ProcessError, ResourceExhaustionError, SkeinError } from "../../core/internal.ts";

export function storageError(doing: string, target: string, cause: unknown): SkeinError {
  if (cause instanceof SkeinError) return cause;
  const code = errorCode(cause);
  if (code === "ENOSPC" || code === "EDQUOT") return diskFull(doing, target, cause);
  if (code === "EMFILE" || code === "ENFILE") {
    return new ResourceExhaustionError(`${doing}: too many open files`, { resource: "files", target, cause });
  }
  const words = cause instanceof Error ? cause.message : String(cause);
  return new SkeinError(`${doing}: ${words}`, { kind: "filesystem", target, cause });
}

export interface GitEnd {
  readonly exitCode: number | null;
  readonly stderr: string;
}

/** Gives a git that failed as a typed error. Git tells a full disk only by words; its language is fixed to English. */
export function gitError(command: string, ended: GitEnd): SkeinError {
  const stderrTail = ended.stderr.trim().slice(-2000);
  if (/No space left on device|Out of diskspace|Disk quota exceeded/.test(stderrTail)) {
    return diskFull(`git ${command}`, "the snapshot store", new Error(stderrTail));
  }
  const message = `git ${command} failed: ${stderrTail.split("\n").at(-1) ?? ""}`;
  return new ProcessError(message, { exitCode: ended.exitCode ?? undefined, stderrTail, command });
}

export function errorCode(thrown: unknown): string {
  return thrown instanceof Error && "code" in thrown && typeof thrown.code === "string" ? thrown.code : "";
}

function diskFull(doing: string, target: string, cause: unknown): SkeinError {
  return new ResourceExhaustionError(`${doing}: no space left on the disk`, {
    resource: "disk",
    target,
    cause,
    hint: "Free some space, or set SKEIN_HOME to a folder on another disk; nothing stored before is lost",
  });
}
