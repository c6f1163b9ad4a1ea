import { basename, dirname, join } from "node:path";
import { listAgentFiles } from "../discover/find-sessions.ts";
import type { SkippedPath } from "../problem.ts";
import { createFollower, type FileFollower } from "./follow-file.ts";
import { WatchedFolders } from "./watched-folders.ts";

export interface WatchedFile {
  readonly path: string;
  readonly follower: FileFollower;
  /** Whether it was there when the watching began, and its end has still to be found. */
  isOld: boolean;
  /** Until then it is looked at every time: who has written will write again. */
  hotUntilMs: number;
}

/** Looked at in turn each time: of a short history all files, of a long one some. The folders' watchers tell of the rest. */
const IN_TURN = 500;
const HOT_MS = 10 * 60_000;

/** Begins to watch the transcripts below a folder: all files of a history, and which of them to look at next. */
export function createWatchedFiles(base: string, inTurn = IN_TURN) {
  const files = new Map<string, WatchedFile>();
  const hot = new Set<WatchedFile>();
  let turn = files.values();
  let isBegun = false;

  const add = (path: string, isOld: boolean): void => {
    if (!files.has(path)) files.set(path, { path, follower: createFollower(path), isOld, hotUntilMs: 0 });
  };
  const folders = new WatchedFolders(base, inTurn, {
    onFile: (path, wasThere) => add(path, wasThere || !isBegun),
    // One that takes its name is another file, and read from its start.
    onGone: (path) => files.delete(path),
  });
  const next = (): WatchedFile | undefined => {
    const { value } = turn.next();
    if (value !== undefined) return value;
    turn = files.values();
    return turn.next().value;
  };
  const heatOne = (file: WatchedFile | undefined, nowMs: number): void => {
    if (file === undefined) return;
    file.hotUntilMs = nowMs + HOT_MS;
    hot.add(file);
  };
  return {
    async find(nowMs: number): Promise<readonly SkippedPath[]> {
      const skipped = folders.find(nowMs);
      const isHot = (owner: string): boolean => hot.has(files.get(`${owner}.jsonl`) as WatchedFile);
      // A sub-agent runs while its session does: only then can there be a new one.
      for (const owner of isBegun ? folders.owners().filter(isHot) : folders.owners()) {
        for (const path of await listAgentFiles(join(owner, "subagents"))) add(path, !isBegun);
      }
      isBegun = true;
      return skipped;
    },
    /** The files to look at now: those that something points to, and of the others as many as cost little, or all. */
    due(nowMs: number, isAll = false): readonly WatchedFile[] {
      const due = new Set(folders.told().flatMap((path) => files.get(path) ?? []));
      for (const file of hot) {
        if (file.hotUntilMs > nowMs) due.add(file);
        else hot.delete(file);
      }
      for (let count = isAll ? files.size : Math.min(inTurn, files.size); count > 0; count -= 1) {
        const file = next();
        if (file !== undefined) due.add(file);
      }
      return [...due];
    },
    heat(file: WatchedFile, nowMs: number): void {
      heatOne(file, nowMs);
      heatOne(files.get(`${ownerOf(file.path)}.jsonl`), nowMs);
    },
    close: () => folders.close(),
  };
}

function ownerOf(path: string): string {
  const folder = dirname(path);
  return basename(folder) === "subagents" || folder === dirname(folder) ? dirname(folder) : ownerOf(folder);
}
