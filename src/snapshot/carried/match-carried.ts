import { readdirSync } from "node:fs";
import type { Stats } from "node:fs";
import {
  bytesUnlessText,
  joinBytePath,
  toBytePath,
  toSystemPath,
  toText,
  type BytePath,
  lookAt,
} from "../../git/index.ts";
import { createIgnoreRules, type IgnoreRules } from "../left-out/ignore-rules.ts";
import { selectByGlobs, type Selection } from "../left-out/include-pattern.ts";
import { isDropping } from "../left-out/droppings.ts";
import type { Repository } from "../store/repository.ts";
import { readTreeRules } from "../left-out/tree-rules.ts";
import { stampOf, type CarriedPath } from "./carried-path.ts";

/** Finds what of a workspace's files some globs name and no state holds: what is ignored, left out by a built-in rule, or too large. */
export async function matchCarried(
  repository: Repository,
  globs: readonly string[],
  sizeLimitBytes: number,
): Promise<readonly CarriedPath[]> {
  if (globs.length === 0) return [];
  const { gitDirectory, workspace } = repository;
  const { excludesFile, reserved } = await readTreeRules(repository, workspace, []);
  await using rules = createIgnoreRules({ gitDirectory, root: workspace, excludesFile });
  const walk = { root: toBytePath(workspace), rules, reserved, selection: selectByGlobs(globs), sizeLimitBytes };
  return await matchBelow(walk, { path: "", isTaken: false, isIgnored: false });
}

interface Walk {
  readonly root: BytePath;
  readonly rules: IgnoreRules;
  readonly reserved: ReadonlySet<BytePath>;
  readonly selection: Selection;
  readonly sizeLimitBytes: number;
}

interface Place {
  readonly path: BytePath;
  /** A glob names the folder, and so all that is in it. */
  readonly isTaken: boolean;
  readonly isIgnored: boolean;
}

async function matchBelow(walk: Walk, place: Place): Promise<readonly CarriedPath[]> {
  const children = childrenOf(walk, place);
  const paths = children.map(({ path }) => path);
  const answers = place.isIgnored ? [] : await walk.rules.ask(paths);
  const found: CarriedPath[] = [];
  for (const [index, { path, stats, isTaken }] of children.entries()) {
    const isIgnored = place.isIgnored || answers[index] !== undefined;
    const isLarge = stats.isFile() && stats.size > walk.sizeLimitBytes;
    if (isTaken && (isIgnored || isLarge)) found.push({ path: toText(path), stamp: stampOf(stats) });
    else if (stats.isDirectory()) found.push(...(await matchBelow(walk, { path, isTaken, isIgnored })));
  }
  return found;
}

function childrenOf(
  { root, reserved, selection }: Walk,
  { path: folder, isTaken: isInTaken }: Place,
): readonly { readonly path: BytePath; readonly stats: Stats; readonly isTaken: boolean }[] {
  const names = readdirSync(toSystemPath(`${root}/${folder}`), { encoding: "latin1" }).toSorted();
  return names.flatMap((name) => {
    const path = joinBytePath(folder, name);
    if (name === ".git" || reserved.has(path) || isDropping(path) || bytesUnlessText(path)) return [];
    const isTaken = isInTaken || selection.takesFile(path);
    const stats = isTaken || selection.enters(path) ? lookAt(toSystemPath(`${root}/${path}`)) : undefined;
    return stats?.isDirectory() || (isTaken && stats?.isFile()) ? [{ path, stats, isTaken }] : [];
  });
}
