import {
  missingObject,
  type ReadObject,
  readObjectsSync,
  runGitSync,
  STATE_LIMITS,
  unexpectedObject,
} from "../../git/index.ts";
import { noState, parseState, type StateId, type StoredState } from "./state-commit.ts";
import { NOTES } from "./state-refs.ts";

export interface WalkedState {
  readonly stored: StoredState;
  /** The files that were asked for, as text; undefined where it has none of that name. */
  readonly files: readonly (string | undefined)[];
  readonly note: string | undefined;
}

/** A walk that is left early has read few states too many; one of thousands takes few processes. */
const FIRST_AT_ONCE = 16;
const MOST_AT_ONCE = 1024;

/** Goes from a state to the one before, and so on, without a promise. What lies behind the place where it is left may be damaged. */
export function* walkBack(
  gitDirectory: string,
  tip: StateId,
  names: readonly string[],
): Generator<WalkedState, void, void> {
  let next: StateId | undefined = tip;
  for (let count = FIRST_AT_ONCE; next !== undefined; count = Math.min(count * 4, MOST_AT_ONCE)) {
    const ids = listBack(gitDirectory, next, count);
    const asked = ids.map((id) => [id, `${id}^{tree}`, `${NOTES}${id}`, ...names.map((name) => `${id}:${name}`)]);
    const found = readObjectsSync(gitDirectory, asked.flat());
    for (const [index, id] of ids.entries()) {
      const [commit, tree, note, ...files] = found.slice(index * (names.length + 3), (index + 1) * (names.length + 3));
      const stored = parseState(id, { commit: contentOf(commit, "commit", id), tree: contentOf(tree, "tree", id) });
      yield {
        stored,
        files: files.map((file) => file && contentOf(file, "blob", id).toString("utf8")),
        note: note?.type === "blob" ? note.content.toString("utf8") : undefined,
      };
      next = stored.parentId;
    }
  }
}

/** A state and those before it, newest first; fewer than asked for where one before is missing, up to which git gives none. */
function listBack(gitDirectory: string, from: StateId, count: number): readonly StateId[] {
  for (let some = count; some >= 1; some = Math.floor(some / 4)) {
    const ids = tryList(gitDirectory, ["rev-list", "--first-parent", `--max-count=${some}`, from]);
    if (ids) return ids;
  }
  const alone = tryList(gitDirectory, ["rev-list", "--no-walk", from]);
  if (!alone) throw noState(from);
  return alone;
}

function tryList(gitDirectory: string, args: readonly string[]): readonly StateId[] | undefined {
  try {
    const output = runGitSync({ gitDirectory, args, mostOutputBytes: STATE_LIMITS.smallBytes });
    return output.toString("latin1").split("\n").filter(Boolean);
  } catch {
    return undefined;
  }
}

function contentOf(found: ReadObject | undefined, type: "commit" | "tree" | "blob", id: StateId): Buffer {
  if (!found) throw missingObject(id);
  if (found.type === type && found.sizeBytes <= STATE_LIMITS.partBytes) return found.content;
  throw unexpectedObject(found, { type, mostBytes: STATE_LIMITS.partBytes });
}
