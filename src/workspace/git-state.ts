import { join } from "node:path";
import { z } from "zod";
import { SkeinError } from "../core/index.ts";
import { lookAt } from "./look-at.ts";
import { blobId } from "./object-id.ts";
import { readSmallFile } from "./read-small-file.ts";
import type { Repository } from "./repository.ts";
import { runGit } from "./run-git.ts";
import type { GitState } from "./snapshot-store.ts";
import { findUserRepository, isPlainPath, type UserRepository } from "./user-repository.ts";

/** The part of a snapshot that tells the user's repository. */
export interface GitPart {
  readonly state: GitState;
  /** The snapshot's files for it, `git.json` and `git-index`. */
  readonly files: ReadonlyMap<string, Buffer>;
  /** The index file as a text that changes when it does. */
  readonly indexKey: string;
}

/** Reads where the user's repository stands, by looking only; gives the same object again where nothing changed. */
export async function readGitState(
  repository: Repository,
  directory: string,
  previous: GitPart | undefined,
): Promise<GitPart | undefined> {
  const user = findUserRepository(directory);
  const head = user && readHead(user);
  if (!user || !head) return undefined;
  const indexKey = statText(join(user.gitDirectory, "index"));
  const isSameIndex = previous !== undefined && indexKey === previous.indexKey;
  const index = isSameIndex ? previous.files.get("git-index") : await readIndex(repository, user, indexKey);
  const state: GitState = { ...head, ...(index === undefined ? {} : { indexId: blobId(index) }) };
  if (previous && JSON.stringify(state) === JSON.stringify(previous.state))
    return isSameIndex ? previous : { ...previous, indexKey };
  const text = `${JSON.stringify({ version: 1, ...head })}\n`;
  const files = new Map<string, Buffer>([["git.json", Buffer.from(text)]]);
  if (index !== undefined) files.set("git-index", index);
  return { state, files, indexKey };
}

const GitFile = z.strictObject({
  version: z.literal(1),
  head: z.string().optional(),
  branch: z.string().optional(),
  detached: z.boolean(),
});

/** Reads a snapshot's `git.json`. */
export function parseGitFile(content: Buffer): Omit<GitState, "indexId"> {
  const parsed = GitFile.safeParse(JSON.parse(content.toString("utf8")));
  if (!parsed.success) {
    throw new SkeinError("A snapshot's git.json is of a version that this Skein does not know", { kind: "parse" });
  }
  const { head, branch, detached } = parsed.data;
  return { ...(head === undefined ? {} : { head }), ...(branch === undefined ? {} : { branch }), detached };
}

/** The commit that a ref names, read from the files; undefined where there is none. */
export function readRef({ commonDirectory }: UserRepository, ref: string): string | undefined {
  if (!isPlainPath(commonDirectory, ref)) return undefined;
  const loose = readSmallFile(join(commonDirectory, ref))?.toString("latin1").trim();
  if (loose !== undefined && OID.test(loose)) return loose;
  const packed = readSmallFile(join(commonDirectory, "packed-refs"), 256 * 1024 * 1024)?.toString("latin1") ?? "";
  const end = packed.indexOf(` ${ref}\n`);
  return end < 40 ? undefined : packed.slice(end - 40, end);
}

function readHead(user: UserRepository): Omit<GitState, "indexId"> | undefined {
  const text = readSmallFile(join(user.gitDirectory, "HEAD"))?.toString("utf8").trim() ?? "";
  if (OID.test(text)) return { head: text, detached: true };
  const branch = /^ref: (refs\/\S+)$/.exec(text)?.[1];
  // A repository with another ref format says so here; where it stands is then not known to us.
  if (branch === undefined || branch === "refs/heads/.invalid" || branch.includes("..")) return undefined;
  const head = readRef(user, branch);
  return { ...(head === undefined ? {} : { head }), branch, detached: false };
}

/** What is staged, as text: the index itself also holds times, which change when nothing else does. */
async function readIndex(repository: Repository, user: UserRepository, key: string): Promise<Buffer | undefined> {
  if (key === "") return undefined;
  const env = { GIT_INDEX_FILE: join(user.gitDirectory, "index") };
  const args = ["ls-files", "--stage", "-v", "-z"];
  // An index of a kind that needs the user's own objects or settings to be read is not recorded.
  return await runGit({ gitDirectory: repository.gitDirectory, args, env }).catch(() => undefined);
}

function statText(path: string): string {
  const stats = lookAt(path);
  return stats?.isFile() ? `${stats.ino} ${stats.size} ${stats.mtimeMs} ${stats.ctimeMs}` : "";
}

const OID = /^[0-9a-f]{40}$/;
