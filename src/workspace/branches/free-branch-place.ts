import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { StateId } from "../states/state-commit.ts";
import type { Workspace } from "../workspace.ts";

/** Where a branch goes that somebody asked no place for: beside the workspace, where people look; inside, a snapshot would take it in. */
export function freeBranchPlace({ path }: Pick<Workspace, "path">, from: StateId): string {
  const place = join(dirname(path), `${basename(path)}-${from.slice(0, 12)}`);
  let free = place;
  for (let count = 2; existsSync(free); count += 1) free = `${place}-${count}`;
  return free;
}
