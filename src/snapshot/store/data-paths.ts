import { realpathSync } from "node:fs";
import { isAbsolute, join, parse, relative, resolve, sep } from "node:path";
import { dataHome } from "../../core/internal.ts";
import { type BytePath, lookAt, toBytePath } from "../../git/index.ts";
import type { Repository } from "./repository.ts";

/**
 * Where Skein keeps its data below a directory, and the links by which that is reached. No snapshot holds it and no restore touches it: whoever
 * works in their home directory would otherwise take back the record itself, and that of every other workspace.
 */
export function dataPaths({ home }: Pick<Repository, "home">, directory: string): readonly BytePath[] {
  const folders = [resolve(home, "../.."), dataHome()];
  const below = folders.flatMap(placesOf).map((place) => relative(directory, place));
  const inside = below.filter((path) => path !== "" && path !== ".." && !path.startsWith(`..${sep}`));
  return [...new Set(inside.filter((path) => !isAbsolute(path)))]
    .toSorted()
    .map((path) => toBytePath(path.split(sep).join("/")));
}

/** Where a folder really is, and every link on the way to it: without the link it would not be found again. */
function placesOf(folder: string): readonly string[] {
  const { root } = parse(folder);
  const places = [realPathOf(folder)];
  let above = root;
  for (const part of folder.slice(root.length).split(sep)) {
    const here = join(above, part);
    if (lookAt(here)?.isSymbolicLink()) places.push(join(realPathOf(above), part));
    above = here;
  }
  return places;
}

function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
