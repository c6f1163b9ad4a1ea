import { execFileSync } from "node:child_process";
import { appendFileSync, chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bash } from "../direct-script.ts";
import { listFiles, withFiles, type FileList } from "./file-list.ts";
import { copyPlace, demand, placeAt, storeOf, type Place } from "./place.ts";

/** A place with a history, of which each trial gets a copy. */
export interface Prepared {
  readonly place: Place;
  readonly template: string;
  /** The states that were told while it was made, and their files. */
  readonly told: ReadonlyMap<string, FileList>;
  /** Those of them that only conversations name which nobody goes on with: `gc` may remove them. */
  readonly unnamed: readonly string[];
  readonly ids: { readonly first: string; readonly second: string; readonly explored: string };
  /** The conversation that the workspace follows. */
  readonly conversationId: string;
  /** The workspace as the command finds it: with what a person did since the last turn. */
  readonly files: FileList;
}

/** How a prompt is answered here: by the command that it names. */
export const OFFLINE = ["--offline", "direct", "--allowed-tools", "Bash"] as const;

const FOLDERS = 8;
const FILES = 25;

/** Makes a place by the command itself: turns, an exploration, a checkpoint, another workspace, and a person's own edits. */
export async function prepare(root: string): Promise<Prepared> {
  const place = placeAt(root);
  for (const folder of [place.app, place.other, place.env["HOME"] ?? "", place.env["TMPDIR"] ?? ""]) {
    mkdirSync(folder, { recursive: true });
  }
  for (const remote of [place.remote, place.emptyRemote]) git(root, "init", "--quiet", "--bare", remote);
  writeFirstFiles(place);
  const told = new Map<string, FileList>();
  const turn = async (command: string, ...flags: string[]): Promise<string> => {
    const { state_id: id } = await demand(place, ["run", bash(command), ...OFFLINE, ...flags]);
    told.set(String(id), listFiles(place.app));
    return String(id);
  };
  const first = await turn(
    "for f in d[0-4]/*; do echo first >> $f; done; rm d7/*; mkdir -p new/deep; echo 1 > new/deep/1",
  );
  await demand(place, ["checkpoint", "good"]);
  const second = await turn("for f in d[2-6]/*; do echo second > $f; done; rm -r new; chmod -x run.sh", "--continue");
  const explored = await explore(place, told);
  await demand(place, ["push", place.remote]);
  const conversationId = String((await demand(place, ["status"]))["conversation_id"]);
  await goOnElsewhere(place, conversationId);
  editByHand(place);
  const files = listFiles(place.app);
  const template = `${root}.template`;
  rmSync(place.env["TMPDIR"] ?? "", { recursive: true });
  renameSync(root, template);
  await copyPlace(template, place);
  if (storeOf(place).home === "") throw new Error("The workspace has no store");
  const unnamed = [...told.keys()].filter((id) => id !== first && id !== second);
  return { place, template, told, unnamed, ids: { first, second, explored }, conversationId, files };
}

/** A repository with files of several kinds, some of which no state holds. */
function writeFirstFiles({ app }: Place): void {
  git(app, "init", "--quiet");
  for (let folder = 0; folder < FOLDERS; folder += 1) {
    mkdirSync(join(app, `d${folder}`));
    for (let file = 0; file < FILES; file += 1) {
      writeFileSync(join(app, `d${folder}/f${file}`), `${folder} ${file}\n`.repeat(file + 1));
    }
  }
  writeFileSync(join(app, ".gitignore"), "ignored.log\n.claude\n");
  writeFileSync(join(app, "ignored.log"), "ignored\n");
  writeFileSync(join(app, "run.sh"), "#!/bin/sh\n");
  chmodSync(join(app, "run.sh"), 0o755);
  symlinkSync("d0/f0", join(app, "link"));
  git(app, "add", "--all");
  git(app, "-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "--quiet", "--message", "Begin");
  writeFileSync(join(app, ".env"), "KEY=1\n");
}

/** Two branches are tried, and their states told; the workspace stays as it is. */
async function explore(place: Place, told: Map<string, FileList>): Promise<string> {
  const before = listFiles(place.app);
  const prompts = ["one", "two"].map((word) => bash(exploring(word)));
  const args = ["explore", ...prompts.flatMap((prompt) => ["--prompt", prompt]), ...OFFLINE];
  const { branches } = (await demand(place, args)) as { branches: { prompt: string; state_id: string }[] };
  for (const { prompt, state_id: id } of branches) {
    told.set(id, exploredFiles(before, prompt === prompts[0] ? "one" : "two"));
  }
  return branches[1]?.state_id ?? "";
}

/** A command for an exploration: it changes a folder and makes a file. */
export function exploring(word: string): string {
  return `for f in d1/*; do echo ${word} > $f; done; echo ${word} > explored.txt`;
}

/** What such a command makes of files. */
export function exploredFiles(files: FileList, word: string): FileList {
  const changed = Array.from({ length: FILES }, (_, file) => `d1/f${file}`);
  return withFiles(files, Object.fromEntries([...changed, "explored.txt"].map((path) => [path, `${word}\n`])));
}

/** Somebody else fetches the conversation, goes on with it, and sends it back; and saves one of their own. */
async function goOnElsewhere(place: Place, conversationId: string): Promise<void> {
  const there = { cwd: place.other };
  await demand(place, ["pull", place.remote], there);
  await demand(place, ["restore", conversationId, "--yes"], there);
  await demand(place, ["run", bash("echo elsewhere > elsewhere.txt"), "--continue", ...OFFLINE], there);
  await demand(place, ["push", place.remote], there);
  await demand(place, ["run", bash("echo own > own.txt"), ...OFFLINE], there);
  await demand(place, ["save", "@", place.bundle], there);
}

/** What a person did since the last turn: a new file, and a change to an old one. */
function editByHand({ app }: Place): void {
  writeFileSync(join(app, "mine.txt"), "mine\n");
  appendFileSync(join(app, "d0/f3"), "by hand\n");
}

function git(cwd: string, ...args: readonly string[]): void {
  execFileSync("git", args, { cwd, stdio: "pipe", env: { PATH: process.env["PATH"], HOME: cwd } });
}
