import { createHash } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PRIVATE_FOLDER, PRIVATE_FILE } from "../../core/index.ts";
import { type BytePath, findUserRepository, isPlainPath, readSmallFile } from "../../git/index.ts";
import { dataPaths } from "../store/data-paths.ts";
import { BUILT_IN_RULES_KEY } from "./built-in-rules.ts";
import { DROPPING_KEY } from "./droppings.ts";
import type { Repository } from "../store/repository.ts";

/** The rules that lie outside of a tree: its repository's own `info/exclude`, those that are built in, and where Skein keeps its data. */
export interface TreeRules {
  /** A file with the repository's own; undefined where there are none. */
  readonly excludesFile: string | undefined;
  /** Paths that are no part of the tree, whatever else is said. */
  readonly reserved: ReadonlySet<BytePath>;
  /** Changes when they do, or when other ignored files are asked for. */
  readonly key: string;
}

/** Copies the rules to a file beside the store: git shall open no pipe that stands in its place. */
export async function readTreeRules(
  repository: Repository,
  directory: string,
  include: readonly string[],
): Promise<TreeRules> {
  const user = findUserRepository(directory);
  const isPlain = user && isPlainPath(user.commonDirectory, "info/exclude");
  const own = isPlain ? readSmallFile(join(user.commonDirectory, "info/exclude")) : undefined;
  const text = own?.toString("latin1") ?? "";
  const paths = dataPaths(repository, directory);
  const reserved = new Set(paths);
  const key = createHash("sha256")
    .update(JSON.stringify([text, include, BUILT_IN_RULES_KEY, DROPPING_KEY, ...paths]))
    .digest("hex");
  if (!/^\s*[^#\s]/m.test(text)) return { excludesFile: undefined, reserved, key };
  const excludesFile = join(repository.home, "ignore", key);
  await mkdir(join(repository.home, "ignore"), PRIVATE_FOLDER);
  await writeFile(excludesFile, text, { encoding: "latin1", mode: PRIVATE_FILE });
  return { excludesFile, reserved, key };
}
