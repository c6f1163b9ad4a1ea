import { createHash } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Repository } from "./repository.ts";
import { findUserRepository, isPlainPath } from "./user-repository.ts";
import { readSmallFile } from "./read-small-file.ts";

/** The ignore rules for a whole tree: its root's `.skeinignore` and its repository's own `info/exclude`. */
export interface TreeRules {
  /** A file with all of them; undefined where there are none. */
  readonly excludesFile: string | undefined;
  /** Changes when they do, or when other ignored files are asked for. */
  readonly key: string;
}

/** Gathers the rules in one file beside the store, for git takes one. Only regular files are read. */
export async function readTreeRules(
  { home }: Repository,
  directory: string,
  include: readonly string[],
): Promise<TreeRules> {
  const user = findUserRepository(directory);
  const own =
    user && isPlainPath(user.commonDirectory, "info/exclude") ? [join(user.commonDirectory, "info/exclude")] : [];
  const texts = [...own, join(directory, ".skeinignore")].map((path) => readSmallFile(path)?.toString("latin1"));
  const text = texts.filter((part) => part !== undefined).join("\n");
  const key = createHash("sha256")
    .update(JSON.stringify([text, include]))
    .digest("hex");
  if (!/^\s*[^#\s]/m.test(text)) return { excludesFile: undefined, key };
  const excludesFile = join(home, "ignore", key);
  await mkdir(join(home, "ignore"), { recursive: true });
  await writeFile(excludesFile, text, "latin1");
  return { excludesFile, key };
}
