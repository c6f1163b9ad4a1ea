import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { SkeinError } from "../../core/internal.ts";
import { createObjectReader, type ObjectReader, runGit, STATE_LIMITS } from "../../git/index.ts";
import { temporaryPlace } from "../../snapshot/index.ts";
import { listStates } from "../states/list-states.ts";
import type { StateId } from "../states/state-commit.ts";
import { CHECKPOINTS, CONVERSATIONS, listAllRefs, NOTES } from "../states/state-refs.ts";
import type { Workspace } from "../workspace.ts";
import { createStateCheck } from "./check-state.ts";
import { runUserGit, type UserGitEnd } from "./user-git.ts";

/** What was fetched and is not in the store yet: a repository of its own that reads the store's objects. */
export interface Arrival extends AsyncDisposable {
  readonly gitDirectory: string;
  readonly objects: ObjectReader;
  readonly end: UserGitEnd;
  /** Its names below `refs/skein/`, in full. */
  readonly refs: ReadonlyMap<string, StateId>;
}

/** Fetches into a place apart: nothing that somebody else made is in the store before it was looked at. */
export async function fetchApart(
  workspace: Workspace,
  { address, refspecs, signal }: { address: string; refspecs: readonly string[]; signal: AbortSignal | undefined },
): Promise<Arrival> {
  const gitDirectory = await temporaryPlace(workspace.home, "arrival");
  const objects = createObjectReader(gitDirectory);
  const remove = async (): Promise<void> => {
    await objects.close();
    await rm(gitDirectory, { recursive: true, force: true });
  };
  try {
    await mkdir(gitDirectory, { recursive: true, mode: 0o700 });
    const args = ["init", "--quiet", "--bare", "--template=", "--object-format=sha1", "--initial-branch=main"];
    await runGit({ gitDirectory, args });
    await mkdir(join(gitDirectory, "objects/info"), { recursive: true });
    const theirs = join(workspace.gitDirectory, "objects");
    const alternate = /["\\\n]/u.test(theirs) ? JSON.stringify(theirs) : theirs;
    await writeFile(join(gitDirectory, "objects/info/alternates"), `${alternate}\n`);
    const fetch = ["fetch", "--no-tags", "--no-write-fetch-head", "--no-auto-gc", "--", address, ...refspecs];
    const end = await runUserGit(gitDirectory, fetch, { signal });
    const refs = await listAllRefs(gitDirectory);
    return { gitDirectory, objects, end, refs, [Symbol.asyncDispose]: remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

export async function judgeArrival(
  { objects, refs, gitDirectory }: Arrival,
  known: Iterable<StateId>,
): Promise<ReadonlyMap<string, SkeinError | undefined>> {
  if (refs.size > STATE_LIMITS.names) throw tooMany(refs.size, "names");
  const check = createStateCheck(objects);
  const verdicts = new Map<string, SkeinError | undefined>();
  const seen = new Map<StateId, SkeinError | undefined>();
  const checkOnce = async (id: StateId): Promise<SkeinError | undefined> => {
    if (!seen.has(id)) seen.set(id, await check(id).then(() => undefined, toVerdict));
    return seen.get(id);
  };
  const there = new Set(known);
  const checkTips = async (tips: readonly StateId[]): Promise<void> => {
    const fresh = tips.filter((tip) => !there.has(tip));
    // Git is asked only for what may be new: most names are where they were.
    const states = fresh.length === 0 ? [] : await listStates(gitDirectory, fresh, there);
    if (states.length > STATE_LIMITS.states) throw tooMany(states.length, "states");
    for (const each of states) {
      const wrong = await checkOnce(each);
      if (wrong) throw wrong;
    }
  };
  // All at once, by one git; each name alone where something is wrong with one of them.
  const tips = [...refs].flatMap(([ref, id]) => (ref.startsWith(NOTES) ? [] : [id]));
  const areSound = await checkTips(tips).then(
    () => true,
    () => false,
  );
  for (const [ref, id] of refs) {
    try {
      checkName(ref);
      if (ref.startsWith(NOTES)) await objects.content(id, { type: "blob", mostBytes: STATE_LIMITS.smallBytes });
      else if (!areSound) await checkTips([id]);
      verdicts.set(ref, undefined);
    } catch (error) {
      verdicts.set(ref, toVerdict(error));
    }
  }
  return verdicts;
}

/** A name that could be taken for an id, or that no Skein gives, would stand for another state than people mean. */
function checkName(ref: string): void {
  if (ref.startsWith(NOTES) && /^[0-9a-f]{40}$/u.test(ref.slice(NOTES.length))) return;
  const prefix = [CONVERSATIONS, CHECKPOINTS].find((each) => ref.startsWith(each));
  const name = prefix === undefined ? "" : ref.slice(prefix.length);
  const isPlain = /^[A-Za-z0-9][\w.-]{0,99}$/u.test(name) && !/\.\.|\.lock$|\.$/u.test(name);
  if (isPlain && !/^(?=.*\d)[0-9a-f]{6,40}$/u.test(name)) return;
  const message = `${JSON.stringify(ref.slice(0, 200))} is not a name that Skein gives`;
  throw new SkeinError(message, { kind: "policy", target: ref });
}

function toVerdict(error: unknown): SkeinError {
  if (error instanceof SkeinError) return error;
  const words = error instanceof Error ? error.message : String(error);
  return new SkeinError(`It cannot be read: ${words}`, { kind: "parse", cause: error });
}

function tooMany(count: number, what: string): SkeinError {
  return new SkeinError(`${count} ${what} would arrive at once`, {
    kind: "policy",
    hint: "It was built to fill memory or disk; nothing was changed",
  });
}
