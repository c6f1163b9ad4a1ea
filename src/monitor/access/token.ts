import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { chmod, lstat, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { messageOf, monitorFolder, PRIVATE_FILE, PRIVATE_FOLDER, SkeinError } from "../../core/internal.ts";

/** A token of somebody's own is not shorter: it is all that stands between the network and the agents. */
const LEAST_CHARACTERS = 32;

/** The token of a data folder, made where there is none: only its owner can read it. */
export async function readToken(dataHome: string): Promise<string> {
  const folder = monitorFolder(dataHome);
  const path = tokenPath(dataHome);
  try {
    await mkdir(folder, PRIVATE_FOLDER);
    await chmod(folder, PRIVATE_FOLDER.mode);
    const made = randomBytes(32).toString("base64url");
    await writeFile(path, `${made}\n`, { flag: "wx", mode: PRIVATE_FILE }).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    });
  } catch (cause) {
    throw cannotKeep(path, cause);
  }
  return await readTokenFile(path);
}

/** Where the token of a data folder lies. */
export function tokenPath(dataHome: string): string {
  return join(monitorFolder(dataHome), "token");
}

/** Reads a token from a file that nobody else may read. */
export async function readTokenFile(path: string): Promise<string> {
  const token = await readSecretFile(path);
  if (token.length >= LEAST_CHARACTERS && /^[\x21-\x7e]+$/u.test(token)) return token;
  throw new SkeinError(`The token in ${path} must have at least ${LEAST_CHARACTERS} characters, and no blanks`, {
    kind: "config",
    target: path,
    hint: `openssl rand -base64 32 > ${path}`,
  });
}

/** Reads what a file holds that nobody else may read. */
export async function readSecretFile(path: string): Promise<string> {
  const found = await lstat(path).catch((cause: unknown) => {
    throw new SkeinError(`${path} cannot be read: ${messageOf(cause)}`, { kind: "filesystem", target: path, cause });
  });
  if (!found.isFile() || (process.platform !== "win32" && (found.mode & 0o077) !== 0)) {
    throw new SkeinError(`The secret in ${path} may be read by others, or it is no plain file`, {
      kind: "policy",
      target: path,
      hint: `chmod 600 ${path}, and make another secret if somebody may have read it`,
    });
  }
  return (await readFile(path, "utf8")).trim();
}

/** Whether two texts are the same; how long that takes says nothing of where they differ. */
export function isSameSecret(left: string, right: string): boolean {
  return timingSafeEqual(digest(left), digest(right));
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

function cannotKeep(path: string, cause: unknown): SkeinError {
  return new SkeinError(`The monitor's token ${path} cannot be kept: ${(cause as Error).message}`, {
    kind: "filesystem",
    target: path,
    hint: "Check that Skein's data folder is writable",
    cause,
  });
}
