import { join } from "node:path";
import { SkeinError } from "../core/internal.ts";
import { CONFIG_FILE } from "../engine/internal.ts";

/** The error of a workspace whose configuration, or a plugin of it, is not what a person has trusted. */
export function changedConfig(folder: string): SkeinError {
  return new SkeinError(`${join(folder, CONFIG_FILE)} or a plugin of it has changed since the folder was trusted`, {
    kind: "untrusted_folder",
    target: folder,
    hint: `Look at it with skein trust --show --cwd ${folder}, then trust it again with skein trust`,
  });
}

/** The error of a workspace whose configuration a person has trusted and somebody took away: what it forbade is not to be allowed by that. */
export function missingConfig(folder: string): SkeinError {
  return new SkeinError(`${join(folder, CONFIG_FILE)} is gone, which a person has trusted`, {
    kind: "untrusted_folder",
    target: folder,
    hint: `Bring it back, or trust the folder without it: skein trust --cwd ${folder}`,
  });
}
