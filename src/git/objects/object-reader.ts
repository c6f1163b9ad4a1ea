import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { Writable } from "node:stream";
import { SkeinError, systemClock } from "../../core/internal.ts";
import { lookAt } from "../files/plain-files.ts";
import { gitError } from "../files/storage-error.ts";
import { endOf, type GitProcess, MOST_LISTING_BYTES, runGitInto, runGitSync, spawnGit } from "../run-git.ts";

export type ObjectReader = ReturnType<typeof createObjectReader>;

export interface ObjectInfo {
  readonly oid: string;
  readonly type: string;
  readonly sizeBytes: number;
}

/** Starts with the first question; does not keep the host process alive while nothing is asked. */
export function createObjectReader(gitDirectory: string) {
  let running: ReturnType<typeof startBatch> | undefined;
  let seen: PackList = { names: new Set(), atMs: 0 };
  const ask = async (name: string, mostBytes?: number): Promise<Answer | undefined> => {
    if (running?.hasEnded()) running = undefined;
    if (!running) seen = listPacks(gitDirectory);
    running ??= startBatch(gitDirectory);
    return await running.ask(name, mostBytes);
  };
  const end = async (): Promise<void> => {
    const ending = running;
    running = undefined;
    await ending?.close();
  };
  const read = async (oid: string, mostBytes: number): Promise<Answer> => {
    const answer = await ask(oid, mostBytes);
    if (!answer) throw missingObject(oid);
    return answer;
  };
  return {
    /** An object's type and size; undefined where there is none. `name` is an id or a ref. */
    info: async (name: string): Promise<ObjectInfo | undefined> => (await ask(name))?.info,
    /** A file's content where it is small enough to be held in memory; undefined where it has to be written by `writeTo`. */
    async fileContent(oid: string): Promise<Buffer | undefined> {
      const { info, content } = await read(oid, STATE_LIMITS.fileBytes);
      if (info.type !== "blob") throw unexpectedObject(info, { type: "blob", mostBytes: info.sizeBytes });
      return content;
    },
    writeTo: (oid: string, file: number): Promise<void> =>
      runGitInto({ gitDirectory, args: ["cat-file", "blob", oid] }, file),
    /** An object's content, read into memory: one that is larger than it may be, or of another type, is an error. */
    async content(oid: string, expected: ExpectedObject = {}): Promise<Buffer> {
      const { type, mostBytes = 1024 ** 3 } = expected;
      const { info, content } = await read(oid, mostBytes);
      if (content && (type ?? info.type) === info.type) return content;
      throw unexpectedObject(info, { type, mostBytes });
    },
    /**
     * What it gives from here on is there: git has packs open and goes on to read them after somebody else has removed them. For those who
     * hold the lock under which packs are removed.
     */
    async refresh(): Promise<void> {
      const present = listPacks(gitDirectory);
      const isGone = [...seen.names].some((name) => !present.names.has(name));
      // One that came and went in between was not looked for. Nothing of the last day is removed.
      if (isGone || present.atMs - seen.atMs > HOUR_MS) await end();
      else seen = present;
    },
    close: end,
  };
}

const HOUR_MS = 3_600_000;

interface PackList {
  readonly names: ReadonlySet<string>;
  readonly atMs: number;
}

function listPacks(gitDirectory: string): PackList {
  const folder = join(gitDirectory, "objects/pack");
  // A reader may be made before its repository is.
  const names = lookAt(folder) ? readdirSync(folder).filter((name) => name.endsWith(".pack")) : [];
  return { names: new Set(names), atMs: systemClock.now() };
}

export function missingObject(oid: string): SkeinError {
  return new SkeinError(`The snapshot store does not hold ${oid}`, {
    kind: "filesystem",
    target: oid,
    hint: "Its snapshot may have been removed; verify shows what else is missing",
  });
}

export function unexpectedObject(
  { oid, type, sizeBytes }: ObjectInfo,
  expected: { type: string | undefined; mostBytes: number },
): SkeinError {
  const isLarge = sizeBytes > expected.mostBytes;
  const what = isLarge ? `takes ${sizeBytes} bytes, more than the ${expected.mostBytes} allowed` : `is a ${type}`;
  return new SkeinError(`The object ${oid} ${what}${isLarge ? "" : `, where a ${expected.type} is expected`}`, {
    kind: "policy",
    target: oid,
    hint: "It was not made by Skein, or is damaged: skein verify shows what else is",
  });
}

interface ExpectedObject {
  readonly type?: "blob" | "tree" | "commit";
  readonly mostBytes?: number;
}

interface Answer {
  readonly info: ObjectInfo;
  /** Not there where it is larger than was asked for. */
  readonly content: Buffer | undefined;
}

interface Question {
  /** How much content is wanted; none where only the info is. */
  readonly mostBytes: number | undefined;
  resolve(answer: Answer | undefined): void;
  reject(reason: unknown): void;
}

function startBatch(gitDirectory: string) {
  const child = spawnGit({ gitDirectory, args: ["cat-file", "--batch-command"] });
  const questions: Question[] = [];
  let ended = false;
  const keepAlive = holdOpen(child);
  child.stdin.on("error", () => undefined);
  child.stdout.on("data", createAnswerParser(questions, keepAlive));
  const fail = (reason: unknown): void => {
    ended = true;
    for (const question of questions.splice(0)) question.reject(reason);
  };
  const end = endOf(child).then((how) => fail(gitError("cat-file", how)), fail);
  keepAlive(false);
  return {
    hasEnded: () => ended,
    ask: (name: string, mostBytes?: number) =>
      new Promise<Answer | undefined>((resolve, reject) => {
        questions.push({ mostBytes, resolve, reject });
        keepAlive(true);
        writeTogether(child.stdin);
        child.stdin.write(`${mostBytes === undefined ? "info" : "contents"} ${name}\n`);
      }),
    async close(): Promise<void> {
      keepAlive(true);
      child.stdin.end();
      await end;
    },
  };
}

/** What is written until the end of this turn of the event loop goes out by one call of the system. */
export function writeTogether(pipe: Writable): void {
  if (pipe.writableCorked > 0) return;
  pipe.cork();
  process.nextTick(() => pipe.uncork());
}

function holdOpen(child: GitProcess): (hold: boolean) => void {
  const parts = [child, child.stdin, child.stdout, child.stderr] as unknown as { ref(): void; unref(): void }[];
  return (hold) => parts.forEach((part) => (hold ? part.ref() : part.unref()));
}

/** An answer begins with a line of id, type and size; one of a missing object has no size. */
function parseHead(line: string): ObjectInfo | undefined {
  const [oid = "", type = "", digits = ""] = line.split(" ");
  return /^\d+$/u.test(digits) ? { oid, type, sizeBytes: Number(digits) } : undefined;
}

/** After an answer's first line come the content and a newline, where that was asked for. */
function createAnswerParser(questions: Question[], keepAlive: (hold: boolean) => void): (chunk: Buffer) => void {
  let chunks: Buffer[] = [];
  let size = 0;
  let needed = 1;
  /** Bytes of a content that is too large to be kept. */
  let passedOver = 0;
  const parseOne = (bytes: Buffer): number => {
    const start = bytes.indexOf(10) + 1;
    const [question] = questions;
    if (start === 0 || !question) return 0;
    const info = parseHead(bytes.toString("latin1", 0, start - 1));
    const { mostBytes } = question;
    const end = start + (info && mostBytes !== undefined ? info.sizeBytes + 1 : 0);
    const isLarge = info && mostBytes !== undefined && info.sizeBytes > mostBytes;
    if (isLarge) passedOver = Math.max(end - bytes.length, 0);
    else if (bytes.length < end) {
      needed = end;
      return 0;
    }
    questions.shift();
    const part = bytes.subarray(start, Math.max(start, end - 1));
    // A small part would keep everything that came with it in memory.
    const content = isLarge ? undefined : part.length > 1024 * 1024 ? part : Buffer.from(part);
    question.resolve(info && { info, content });
    return Math.min(end, bytes.length);
  };
  return (given) => {
    const chunk = given.subarray(Math.min(passedOver, given.length));
    passedOver -= given.length - chunk.length;
    chunks.push(chunk);
    size += chunk.length;
    if (size < needed) return;
    let bytes = Buffer.concat(chunks);
    for (;;) {
      needed = 1;
      const used = parseOne(bytes);
      if (used === 0) break;
      bytes = bytes.subarray(used);
    }
    chunks = [bytes];
    size = bytes.length;
    if (questions.length === 0) keepAlive(false);
  };
}

export interface ReadObject extends ObjectInfo {
  readonly content: Buffer;
}

/** Reads objects by their names, in that order, by one git; undefined for those that are not there. Everything else waits. */
export function readObjectsSync(gitDirectory: string, names: readonly string[]): readonly (ReadObject | undefined)[] {
  try {
    const call = { gitDirectory, args: ["cat-file", "--batch"], input: names, mostOutputBytes: MOST_LISTING_BYTES };
    return parseAnswers(runGitSync(call), names.length);
  } catch (error) {
    // Too much for one answer may fit into two.
    if (!(error instanceof SkeinError) || error.kind !== "policy" || names.length < 2) throw error;
    const half = names.length >> 1;
    return [
      ...readObjectsSync(gitDirectory, names.slice(0, half)),
      ...readObjectsSync(gitDirectory, names.slice(half)),
    ];
  }
}

function parseAnswers(output: Buffer, count: number): readonly (ReadObject | undefined)[] {
  const found: (ReadObject | undefined)[] = [];
  for (let at = 0; found.length < count;) {
    const start = output.indexOf(10, at) + 1;
    const info = parseHead(output.toString("latin1", at, start - 1));
    at = info ? start + info.sizeBytes + 1 : start;
    found.push(info && { ...info, content: output.subarray(start, at - 1) });
  }
  return found;
}

/** Far above what a workspace holds: a few kilobytes from somebody else can stand for any number of files. */
export const STATE_LIMITS = {
  states: 200_000,
  names: 100_000,
  paths: 1_000_000,
  depth: 512,
  snapshotBytes: 64 * 1024 ** 3,
  /** What is not a file of the workspace and is read whole: trees, listings, transcripts. */
  partBytes: 128 * 1024 ** 2,
  /** `state.json`, `git.json`, a note, a commit. */
  smallBytes: 16 * 1024 ** 2,
  /** A file that is read into memory to be written; a larger one goes past it. */
  fileBytes: 8 * 1024 ** 2,
} as const;
