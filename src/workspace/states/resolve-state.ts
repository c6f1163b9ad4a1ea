import { SkeinError } from "../../core/internal.ts";
import { gitLines, listRefs, type ObjectReader, readRefFile } from "../../git/index.ts";
import { readHead } from "./head.ts";
import { noState, readState, type StateId } from "./state-commit.ts";
import { CHECKPOINTS, CONVERSATIONS } from "./state-refs.ts";

export interface StateNames {
  readonly gitDirectory: string;
  readonly objects: ObjectReader;
  readonly headRef: string;
}

/**
 * Finds the state of a name: `@` for the directory's head, a checkpoint, a conversation (its tip), an id, or the
 * beginning of one. `~2` behind any of them goes two states back.
 */
export async function resolveState(names: StateNames, name: string): Promise<StateId> {
  const [, base = "", steps = ""] = /^(.*?)((?:~\d*|\^)*)$/su.exec(name) ?? [];
  let id = await findBase(names, base);
  for (let left = countSteps(steps); left > 0; left -= 1) {
    const { parentId } = await readState(names.objects, id);
    if (parentId === undefined) throw noState(name);
    id = parentId;
  }
  return id;
}

function countSteps(steps: string): number {
  const parts = steps.match(/~\d*|\^/gu) ?? [];
  return parts.reduce((sum, part) => sum + (part.length > 1 ? Number(part.slice(1)) : 1), 0);
}

async function findBase(names: StateNames, base: string): Promise<StateId> {
  const { gitDirectory, objects, headRef } = names;
  if (base === "@" || base === "HEAD") {
    const head = await readHead(gitDirectory, headRef);
    if (head) return head.stateId;
    throw new SkeinError("Nothing is recorded in this directory yet", {
      kind: "state_not_found",
      target: base,
      hint: 'skein run "…" records a turn; skein checkpoint NAME records the files as they are',
    });
  }
  if (!/^[\w.-]{1,200}$/u.test(base) || base.includes("..")) throw noState(base);
  const named =
    (await readRefFile(gitDirectory, `${CHECKPOINTS}${base}`)) ??
    (await readRefFile(gitDirectory, `${CONVERSATIONS}${base}`));
  if (named !== undefined) return named;
  const conversations = base.length < 4 ? [] : [...(await listRefs(gitDirectory, CONVERSATIONS))];
  const tips = conversations.filter(([id]) => id.startsWith(base)).map(([, tip]) => tip);
  const found = [...new Set([...tips, ...(await statesOf(names, base))])];
  const [first, second] = found;
  if (first === undefined) throw noState(base);
  if (second === undefined) return (await readState(objects, first)).id;
  const some = found.slice(0, 5).map((id) => id.slice(0, 12));
  throw new SkeinError(`${base} matches ${found.length} names`, {
    kind: "usage",
    target: base,
    hint: `Give more of it: ${some.join(", ")}`,
  });
}

async function statesOf({ gitDirectory, objects }: StateNames, prefix: string): Promise<readonly StateId[]> {
  if (!/^[0-9a-f]{4,40}$/u.test(prefix)) return [];
  const states: StateId[] = [];
  for (const id of await gitLines({ gitDirectory, args: ["rev-parse", `--disambiguate=${prefix}`] })) {
    const info = await objects.info(id);
    // A snapshot's own commit is not a state: nothing is laid beside the files.
    if (info?.type === "commit" && (await readState(objects, id)).entries.has("state.json")) states.push(id);
  }
  return states;
}
