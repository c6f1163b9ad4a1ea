import { lstatSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { SkeinError } from "../../core/internal.ts";
import { findUserRepository } from "../../git/index.ts";
import type { Workspace } from "../workspace.ts";
import { runUserGit } from "./user-git.ts";

interface RemoteAddress {
  readonly address: string;
  readonly shown: string;
  /** Whether it is a path on this machine. */
  readonly isLocal: boolean;
}

/** `origin` means what it means in the workspace's own repository; a path is the caller's, not the store's. */
export async function remoteAddress({ path }: Workspace, remote: string): Promise<RemoteAddress> {
  const user = /^[\w.-]+$/u.test(remote) ? findUserRepository(path) : undefined;
  const found = user && (await runUserGit(user.gitDirectory, ["remote", "get-url", "--", remote]));
  return found?.exitCode === 0 ? checked(found.stdout.trim(), path) : checked(remote, ".");
}

/** Git's own ways to reach a repository; `ext::` and the like run any program, and `fd::` waits for ever. */
const SCHEMES = new Set(["file", "git", "http", "https", "ssh", "git+ssh", "ssh+git"]);

function checked(remote: string, base: string): RemoteAddress {
  const path = resolve(base, remote);
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats) {
    const target = statSync(path, { throwIfNoEntry: false });
    if (target?.isDirectory() || target?.isFile()) return { address: path, shown: path, isLocal: true };
    throw refused(path, "is neither a repository nor a file");
  }
  const shown = hideCredentials(remote);
  const helper = /^([\w+.-]+)::/u.exec(remote)?.[1];
  if (helper !== undefined) throw refused(shown, `would be reached by a helper program, git-remote-${helper}`);
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//iu.exec(remote)?.[1]?.toLowerCase();
  if (scheme !== undefined && !SCHEMES.has(scheme))
    throw refused(shown, `is not reached by git itself, but by ${scheme}`);
  if (remote.startsWith("-")) throw refused(shown, "is not an address");
  return { address: remote, shown, isLocal: scheme === "file" };
}

function refused(target: string, why: string): SkeinError {
  return new SkeinError(`${target} ${why}`, {
    kind: "policy",
    target,
    hint: "Give a path, HOST:PATH, or an address that starts with https://, http://, ssh:// or git://",
  });
}

/** A text without what stands before the host of an address, or behind its question mark: both may hold a token. */
export function hideCredentials(text: string): string {
  return text
    .replaceAll(/(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/@'"]*@/giu, "$1***@")
    .replaceAll(/(\b[a-z][a-z0-9+.-]*:\/\/[^\s?'"]*\?)[^\s'"]*/giu, "$1***");
}
