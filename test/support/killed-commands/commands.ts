import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { bash } from "../direct-script.ts";
import { differences, listFiles, type FileList } from "./file-list.ts";
import { gitIn } from "./git-in.ts";
import { ask, storeOf, type Place } from "./place.ts";
import { exploredFiles, exploring, OFFLINE, type Prepared } from "./prepare.ts";

/** A moment that is worth dying at: a name that appears in a folder, both as they lie below the place or the store. */
export interface Moment {
  readonly in: "root" | "home" | "store";
  readonly folder: string;
  readonly name: RegExp;
}

/** A command that is killed. */
export interface KilledCommand {
  readonly name: string;
  args(prepared: Prepared, word: string): readonly string[];
  readonly moments: readonly Moment[];
  /** What it does to the files of the workspace: nothing, one whole state for another, or whatever an agent does. */
  readonly changes: "nothing" | "states" | "anything";
  /** Whether it can be given again with the same words, and works on. */
  readonly isRepeatable: boolean;
  /** How it refuses, where it was done already. */
  readonly refusesAgain?: string;
  /** The files of the states that it tells of, by the words of their prompts. */
  files?(prepared: Prepared, word: string): FileList;
  /** What is wrong with what it has to do with besides the workspace, at the end of a trial; `isDone` where it had said that it was. */
  outside?(prepared: Prepared, isDone: boolean): Promise<readonly string[]>;
}

const RESTORING: readonly Moment[] = [
  { in: "home", folder: "restores", name: /\.json$/u },
  { in: "home", folder: "", name: /^write\.lock$/u },
  { in: "store", folder: "objects/pack", name: /tmp_/u },
];

const ARRIVING: readonly Moment[] = [
  { in: "home", folder: "temporary", name: /^arrival-/u },
  { in: "store", folder: "objects/pack", name: /tmp_/u },
  { in: "store", folder: "", name: /^HEAD\.lock$/u },
];

/** Every command that changes something. */
export const COMMANDS: readonly KilledCommand[] = [
  {
    name: "run",
    args: (_, word) => ["run", bash(exploring(word)), "--continue", ...OFFLINE, "--output-format", "stream-json"],
    moments: [
      { in: "home", folder: "journals", name: /\.jsonl$/u },
      { in: "root", folder: "app", name: /^explored\.txt$/u },
      { in: "root", folder: "skein/processes", name: /\.json$/u },
    ],
    changes: "anything",
    isRepeatable: true,
    files: ({ files }, word) => exploredFiles(files, word),
  },
  {
    name: "undo",
    args: () => ["undo"],
    moments: RESTORING,
    changes: "states",
    // A second one would take back the turn before.
    isRepeatable: false,
  },
  {
    name: "restore",
    args: ({ ids }) => ["restore", ids.first, "--yes"],
    moments: RESTORING,
    changes: "states",
    isRepeatable: true,
  },
  {
    name: "branch",
    args: ({ place }) => ["branch", "@", copyOf(place)],
    moments: [
      { in: "root", folder: "", name: /^\.?copy/u },
      { in: "root", folder: "copy", name: /^d/u },
      { in: "root", folder: "copy", name: /^\.git$/u },
    ],
    changes: "nothing",
    isRepeatable: true,
    // There is something in the directory, then; that it is all of the state is looked at below.
    refusesAgain: "usage",
    outside: async ({ place, told, ids }, isDone) => {
      const copy = copyOf(place);
      if (!existsSync(copy)) return isDone ? ["the branch that was told is not there"] : [];
      const second = told.get(ids.second) ?? new Map();
      const { data } = await ask(place, ["status"], { cwd: copy });
      const isRegistered = data?.["state_id"] === ids.second;
      return [...differences(listFiles(copy), second), ...(isRegistered ? [] : ["the copy is no branch"])];
    },
  },
  {
    name: "explore",
    args: (_, word) => [
      "explore",
      ...["a", "b"].flatMap((end) => ["--prompt", bash(exploring(`${word}${end}`))]),
      ...OFFLINE,
      "--output-format",
      "stream-json",
    ],
    moments: [
      { in: "home", folder: "branches", name: /\.json$/u },
      { in: "home", folder: "bases", name: /./u },
      { in: "home", folder: "journals", name: /\.jsonl$/u },
    ],
    changes: "nothing",
    isRepeatable: true,
    files: ({ files }, word) => exploredFiles(files, word),
  },
  {
    name: "adopt",
    args: ({ ids }) => ["adopt", ids.explored, "--yes"],
    moments: RESTORING,
    changes: "states",
    isRepeatable: true,
  },
  {
    name: "gc",
    args: () => ["gc", "--keep-days", "0", "--yes"],
    moments: [
      { in: "home", folder: "", name: /^write\.lock$/u },
      { in: "store", folder: "objects/pack", name: /tmp/u },
      { in: "store", folder: "", name: /^packed-refs/u },
    ],
    changes: "nothing",
    isRepeatable: true,
  },
  {
    name: "push",
    args: ({ place }) => ["push", place.emptyRemote],
    moments: [
      { in: "root", folder: "empty.git/objects", name: /^tmp_objdir/u },
      { in: "root", folder: "empty.git/objects/pack", name: /./u },
      { in: "root", folder: "empty.git/refs", name: /^skein$/u },
    ],
    changes: "nothing",
    isRepeatable: true,
    // Its own git died with it in the repository there, and left a lock.
    refusesAgain: "network",
    outside: async ({ place, told }, isDone) => {
      await gitIn(place.emptyRemote, "fsck", "--full", "--strict");
      if (!isDone) return [];
      const there = new Set((await gitIn(place.emptyRemote, "rev-list", "--all")).split("\n"));
      return [...told.keys()].filter((id) => !there.has(id)).map((id) => `${id} was not sent`);
    },
  },
  {
    name: "pull",
    args: ({ place }) => ["pull", place.remote],
    moments: ARRIVING,
    changes: "nothing",
    isRepeatable: true,
  },
  {
    name: "save",
    args: ({ place }) => ["save", "@", savedIn(place), "--replace"],
    moments: [
      { in: "home", folder: "temporary", name: /^save-/u },
      { in: "root", folder: "", name: /^saved\.bundle/u },
    ],
    changes: "nothing",
    isRepeatable: true,
    outside: async ({ place }, isDone) => {
      if (!existsSync(savedIn(place))) return isDone ? ["the file that was told is not there"] : [];
      await gitIn(storeOf(place).gitDirectory, "bundle", "verify", "--quiet", savedIn(place));
      return [];
    },
  },
  {
    name: "load",
    args: ({ place }) => ["load", place.bundle],
    moments: ARRIVING,
    changes: "nothing",
    isRepeatable: true,
  },
];

/** Whether a moment has come. */
export function hasCome(place: Place, { in: where, folder, name }: Moment): boolean {
  const base = { root: () => place.root, home: () => storeOf(place).home, store: () => storeOf(place).gitDirectory };
  try {
    return readdirSync(join(base[where](), folder)).some((each) => name.test(each));
  } catch {
    return false;
  }
}

function copyOf({ root }: Place): string {
  return join(root, "copy");
}

function savedIn({ root }: Place): string {
  return join(root, "saved.bundle");
}
