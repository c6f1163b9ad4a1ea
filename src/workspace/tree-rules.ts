import { createHash } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PRIVATE_FOLDER, PRIVATE_FILE } from "../core/index.ts";
import { BUILT_IN_RULES_KEY } from "./left-out/built-in-rules.ts";
import type { Repository } from "./repository.ts";
import { findUserRepository, isPlainPath } from "./user-repository.ts";
import { readSmallFile } from "./read-small-file.ts";

/** The ignore rules that lie outside of a tree: its repository's own `info/exclude`, and those that are built in. */
export interface TreeRules {
  /** A file with the repository's own; undefined where there are none. */
  readonly excludesFile: string | undefined;
  /** Changes when they do, or when other ignored files are asked for. */
  readonly key: string;
}

/** Copies the rules to a file beside the store: git shall open no pipe that stands in its place. */
export async function readTreeRules(
  { home }: Repository,
  directory: string,
  include: readonly string[],
): Promise<TreeRules> {
  const user = findUserRepository(directory);
  const isPlain = user && isPlainPath(user.commonDirectory, "info/exclude");
  const own = isPlain ? readSmallFile(join(user.commonDirectory, "info/exclude")) : undefined;
  const text = own?.toString("latin1") ?? "";
  const key = createHash("sha256")
    .update(JSON.stringify([text, include, BUILT_IN_RULES_KEY]))
    .digest("hex");
  if (!/^\s*[^#\s]/m.test(text)) return { excludesFile: undefined, key };
  const excludesFile = join(home, "ignore", key);
  await mkdir(join(home, "ignore"), PRIVATE_FOLDER);
  await writeFile(excludesFile, text, { encoding: "latin1", mode: PRIVATE_FILE });
  return { excludesFile, key };
}
