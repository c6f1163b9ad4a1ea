import { SkeinError } from "../../core/index.ts";
import { toText, type BytePath } from "../files/byte-path.ts";
import { isGitName } from "../refs/git-name.ts";

/**
 * Refuses a path that no capture makes. A state may come from somebody else, over a remote or in a file: restoring it must
 * not lead out of the workspace, nor into a repository's own folder.
 */
export function checkStoredPath(path: BytePath): void {
  if (!path.split("/").some((name) => UNSAFE.test(name) || isGitName(name))) return;
  throw new SkeinError(`A snapshot holds the forbidden path ${JSON.stringify(toText(path))}`, {
    kind: "policy",
    target: toText(path),
    hint: "It was not made by Skein; nothing was changed",
  });
}

const UNSAFE = /^(?:|\.|\.\.)$/u;
