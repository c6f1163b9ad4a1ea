import { appendFile, mkdir, rm, writeFile } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import {
  type EntryLooks,
  findUserRepository,
  formatIndex,
  formatPackedRefs,
  gitSucceeds,
  parseStoredIndex,
  readPlainFile,
  readSmallFile,
  readUserRefs,
  runGit,
  toBytePath,
  type UserRepository,
  writeUnfinished,
} from "../../git/index.ts";
import type { SnapshotListing } from "../listing.ts";
import type { SnapshotReader } from "../snapshot-reader.ts";
import { parseGitFile, type WantedGit } from "./git-file.ts";
import { giveBlobs } from "./staged-blobs.ts";

/** Where, in a branch that is shown at the path of its workspace, the workspace's objects are found; empty everywhere else. */
export const LENT_FOLDER = ".git/lent";

interface LentRepository {
  /** Writes what was staged, once the files are there. */
  writeIndex(looksOf: EntryLooks): Promise<void>;
}

/**
 * Makes a repository that reads the user's objects; hooks, filters, remotes and most settings stay behind. None where the snapshot holds
 * no repository state, or the origin has lost the commit.
 */
export async function lendRepository(
  context: SnapshotReader,
  { listing, root, origin }: { readonly listing: SnapshotListing; readonly root: string; readonly origin: string },
): Promise<LentRepository | undefined> {
  const file = listing.top.get("git.json");
  const user = findUserRepository(origin);
  if (file === undefined || !user) return undefined;
  const wanted = parseGitFile(await context.objects.content(file));
  const gitDirectory = join(root, ".git");
  const args = ["init", "--quiet", "--template=", "--object-format=sha1", "--initial-branch=main"];
  await runGit({ gitDirectory, cwd: root, args });
  const staged = listing.top.get("git-objects");
  // Before the user's objects are in sight: these are to be the new repository's own.
  if (staged !== undefined) await giveBlobs(context, gitDirectory, staged);
  await borrowObjects(gitDirectory, { user, origin });
  const isThere = { gitDirectory, args: ["cat-file", "-e", `${wanted.head}^{tree}`] };
  const signal = AbortSignal.timeout(PATIENCE_MS);
  if (wanted.head !== undefined && !(await gitSucceeds({ ...isThere, signal }))) {
    await rm(gitDirectory, { recursive: true });
    return undefined;
  }
  await writeHead(gitDirectory, user, wanted);
  await copySettings(gitDirectory, user);
  const index = listing.top.get("git-index");
  const entries = index === undefined ? undefined : parseStoredIndex(await context.objects.content(index));
  writeUnfinished(gitDirectory, wanted.unfinished);
  return {
    async writeIndex(looksOf) {
      if (entries) await writeFile(join(gitDirectory, "index"), formatIndex(entries, looksOf));
    },
  };
}

/**
 * Relative paths are made absolute, for they were meant from the user's object folder. To those who see the new repository in the
 * place of the user's, that folder is the new repository's own, which git passes over: they find the user's in another.
 */
async function borrowObjects(
  gitDirectory: string,
  { user, origin }: { readonly user: UserRepository; readonly origin: string },
): Promise<void> {
  const theirs = join(user.commonDirectory, "objects");
  const alternates = readPlainFile(theirs, "info/alternates")?.toString("utf8") ?? "";
  const lines = alternates.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  const further = lines.map((line) => (isAbsolute(line) || line.startsWith('"') ? line : join(theirs, line)));
  const own = /["\\\n]/.test(theirs) ? JSON.stringify(theirs) : theirs;
  await mkdir(join(gitDirectory, "objects/info"), { recursive: true });
  const isBelow = theirs === join(origin, ".git/objects");
  if (isBelow) await mkdir(join(gitDirectory, "..", LENT_FOLDER), { recursive: true });
  const lent = isBelow ? ["../lent"] : [];
  await writeFile(join(gitDirectory, "objects/info/alternates"), [own, ...lent, ...further, ""].join("\n"));
}

/** A pipe among the user's objects would make git wait for ever. */
const PATIENCE_MS = 20_000;

/** The user's branches are as they are now, but for the one that the snapshot stands on. */
async function writeHead(gitDirectory: string, user: UserRepository, { head, branch }: WantedGit): Promise<void> {
  const refs = readUserRefs(user);
  if (branch !== undefined) {
    const bytes = toBytePath(branch);
    // A branch and a folder of branches cannot have one name.
    for (const name of refs.keys()) {
      if (name === bytes || name.startsWith(`${bytes}/`) || bytes.startsWith(`${name}/`)) refs.delete(name);
    }
    if (head !== undefined) refs.set(bytes, head);
  }
  await writeFile(join(gitDirectory, "packed-refs"), formatPackedRefs(refs));
  await writeFile(join(gitDirectory, "HEAD"), `${branch === undefined ? head : `ref: ${branch}`}\n`);
}

/** Who commits, how line ends are read, what is ignored and where a shallow history ends: nothing that names a program. */
async function copySettings(gitDirectory: string, { commonDirectory }: UserRepository): Promise<void> {
  const config = readSmallFile(join(commonDirectory, "config"));
  if (config !== undefined) {
    const wanted = "^(user\\.(name|email)|core\\.(autocrlf|eol))$";
    const args = ["config", "--file", "-", "--no-includes", "--null", "--get-regexp", wanted];
    const found = await runGit({ gitDirectory, args, input: config }).catch(() => Buffer.alloc(0));
    const lines = found.toString("utf8").split("\0").map(formatSetting);
    await appendFile(join(gitDirectory, "config"), lines.join(""));
  }
  for (const path of ["info/exclude", "shallow"]) {
    const content = readPlainFile(commonDirectory, path);
    if (content === undefined) continue;
    await mkdir(join(gitDirectory, path, ".."), { recursive: true });
    await writeFile(join(gitDirectory, path), content);
  }
}

function formatSetting(setting: string): string {
  const newline = setting.indexOf("\n");
  const [section = "", name = ""] = setting.slice(0, newline).split(".");
  const value = setting.slice(newline + 1);
  // oxlint-disable-next-line no-control-regex -- git's settings have no way to write most control characters
  if (newline === -1 || /[\x00-\x1f]/.test(value)) return "";
  return `[${section}]\n\t${name} = "${value.replaceAll(/["\\]/g, "\\$&")}"\n`;
}
