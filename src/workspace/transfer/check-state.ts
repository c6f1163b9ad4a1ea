import { SkeinError } from "../../core/index.ts";
import { parseFilesMeta, parseStagedTree, parseGitFile } from "../../snapshot/index.ts";
import { parseStoredIndex, type ObjectReader, STATE_LIMITS } from "../../git/index.ts";
import { readState, type StateId } from "../states/state-commit.ts";
import { createTreeMeasure } from "./measure-trees.ts";

/** Checks a state that came from elsewhere: that it has the parts of a state and no other, each as a capture makes it. */
export type StateCheck = (id: StateId) => Promise<void>;

/** Makes the check of everything that arrives together; what states share is looked at once. */
export function createStateCheck(objects: ObjectReader): StateCheck {
  const measure = createTreeMeasure(objects);
  const checked = new Map<string, Promise<void>>();
  const once = (name: string, oid: string, work: () => Promise<void>): Promise<void> => {
    const key = `${name} ${oid}`;
    const found = checked.get(key) ?? work();
    checked.set(key, found);
    return found;
  };
  return async (id) => {
    const { entries } = await readState(objects, id);
    for (const { name, mode, oid } of entries.values()) {
      const part = PARTS.get(name);
      if (part?.mode !== mode) throw forged(id, `has ${JSON.stringify(name.slice(0, 60))}`);
      await once(name, oid, async () => {
        if (mode === "40000") await measure(oid);
        part.parse?.(
          await objects.content(oid, { type: mode === "40000" ? "tree" : "blob", mostBytes: part.mostBytes }),
        );
      });
    }
    for (const name of ["state.json", "files.meta"]) if (!entries.has(name)) throw forged(id, `has no ${name}`);
  };
}

interface Part {
  readonly mode: string;
  readonly mostBytes: number;
  readonly parse?: (content: Buffer) => unknown;
}

const { partBytes, smallBytes } = STATE_LIMITS;

/** What a state is made of. Its own files, the turn and the session are read by those who wrote them, and limited here. */
const PARTS = new Map<string, Part>([
  ["files", { mode: "40000", mostBytes: partBytes }],
  ["files.meta", { mode: "100644", mostBytes: partBytes, parse: parseFilesMeta }],
  ["git.json", { mode: "100644", mostBytes: smallBytes, parse: parseGitFile }],
  ["git-index", { mode: "100644", mostBytes: partBytes, parse: parseStoredIndex }],
  ["git-objects", { mode: "40000", mostBytes: partBytes, parse: parseStagedTree }],
  ["state.json", { mode: "100644", mostBytes: smallBytes, parse: (content) => content }],
  ["transition.json", { mode: "100644", mostBytes: partBytes, parse: (content) => content }],
  ["session", { mode: "40000", mostBytes: partBytes }],
]);

function forged(id: StateId, what: string): SkeinError {
  return new SkeinError(`The state ${id.slice(0, 12)} ${what}`, {
    kind: "policy",
    target: id,
    hint: "It was made by a newer version of Skein, or not by Skein; nothing was changed",
  });
}
