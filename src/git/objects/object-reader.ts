import { SkeinError } from "../../core/index.ts";
import { gitError } from "../files/storage-error.ts";
import { endOf, type GitProcess, MOST_LISTING_BYTES, runGitInto, runGitSync, spawnGit } from "../run-git.ts";

/** Reads objects by one long-lived git. */
export interface ObjectReader {
  /** An object's type and size; undefined where there is none. `name` is an id or a ref. */
  info(name: string): Promise<ObjectInfo | undefined>;
  /** An object's content, read into memory: one that is larger than it may be, or of another type, is an error. */
  content(oid: string, expected?: ExpectedObject): Promise<Buffer>;
  /** A file's content where it is small enough to be held in memory; undefined where it has to be written by `writeTo`. */
  fileContent(oid: string): Promise<Buffer | undefined>;
  /** Writes a file's content into an open file, whatever its size. */
  writeTo(oid: string, file: number): Promise<void>;
  close(): Promise<void>;
}

/** What is known of an object without reading it. */
export interface ObjectInfo {
  readonly oid: string;
  readonly type: string;
  readonly sizeBytes: number;
}

interface ExpectedObject {
  readonly type?: "blob" | "tree" | "commit";
  readonly mostBytes?: number;
}

/** Nothing that is read into memory at once is larger. */
const MOST_BYTES = 1024 ** 3;

/** Starts with the first question; does not keep the host process alive while nothing is asked. */
export function createObjectReader(gitDirectory: string): ObjectReader {
  let running: Batch | undefined;
  const ask = async (command: "info" | "contents", name: string, mostBytes = 0): Promise<Answer | undefined> => {
    if (running?.ended) running = undefined;
    running ??= startBatch(gitDirectory);
    return await running.ask(command, name, mostBytes);
  };
  return {
    info: async (name) => (await ask("info", name))?.info,
    async fileContent(oid) {
      const answer = await ask("contents", oid, STATE_LIMITS.fileBytes);
      if (!answer) throw missingObject(oid);
      if (answer.info.type !== "blob")
        throw unexpectedObject(answer.info, { type: "blob", mostBytes: answer.info.sizeBytes });
      return answer.content;
    },
    writeTo: async (oid, file) => await runGitInto({ gitDirectory, args: ["cat-file", "blob", oid] }, file),
    async content(oid, { type, mostBytes = MOST_BYTES } = {}) {
      const answer = await ask("contents", oid, mostBytes);
      if (answer && (answer.content === undefined || (type !== undefined && answer.info.type !== type))) {
        throw unexpectedObject(answer.info, { type, mostBytes });
      }
      if (answer?.content) return answer.content;
      throw missingObject(oid);
    },
    async close() {
      await running?.close();
      running = undefined;
    },
  };
}

interface Answer {
  readonly info: ObjectInfo;
  /** Not there where it is larger than was asked for. */
  readonly content: Buffer | undefined;
}

/** The error for an object that the store should have. */
export function missingObject(oid: string): SkeinError {
  return new SkeinError(`The snapshot store does not hold ${oid}`, {
    kind: "filesystem",
    target: oid,
    hint: "Its snapshot may have been removed; verify shows what else is missing",
  });
}

/** The error for an object that is not what the store should have there. */
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

interface Waiting {
  readonly withContent: boolean;
  readonly mostBytes: number;
  resolve(answer: Answer | undefined): void;
  reject(reason: unknown): void;
}

interface Batch {
  readonly ended: boolean;
  ask(command: "info" | "contents", name: string, mostBytes: number): Promise<Answer | undefined>;
  close(): Promise<void>;
}

function startBatch(gitDirectory: string): Batch {
  const child = spawnGit({ gitDirectory, args: ["cat-file", "--batch-command"] });
  const waiting: Waiting[] = [];
  let ended = false;
  const keepAlive = holdOpen(child);
  child.stdin.on("error", () => undefined);
  child.stdout.on("data", createAnswerParser(waiting, keepAlive));
  const fail = (reason: unknown): void => {
    ended = true;
    for (const question of waiting.splice(0)) question.reject(reason);
  };
  const end = endOf(child).then((how) => fail(gitError("cat-file", how)), fail);
  keepAlive(false);
  return {
    get ended() {
      return ended;
    },
    ask: (command, name, mostBytes) =>
      new Promise((resolve, reject) => {
        waiting.push({ withContent: command === "contents", mostBytes, resolve, reject });
        keepAlive(true);
        child.stdin.write(`${command} ${name}\n`);
      }),
    async close() {
      keepAlive(true);
      child.stdin.end();
      await end;
    },
  };
}

/** Lets the host process end while the child waits for questions. */
function holdOpen(child: GitProcess): (hold: boolean) => void {
  const parts = [child, child.stdin, child.stdout, child.stderr] as unknown as { ref(): void; unref(): void }[];
  return (hold) => {
    for (const part of parts) {
      if (hold) part.ref();
      else part.unref();
    }
  };
}

/** Each answer is a line with id, type and size, and the content and a newline where that was asked for. */
function createAnswerParser(waiting: Waiting[], keepAlive: (hold: boolean) => void): (chunk: Buffer) => void {
  let chunks: Buffer[] = [];
  let size = 0;
  let needed = 1;
  /** Bytes of a content that is too large to be kept. */
  let passedOver = 0;
  const parseOne = (bytes: Buffer): number => {
    const newline = bytes.indexOf(10);
    if (newline === -1) return 0;
    const [oid = "", type = "", digits = ""] = bytes.toString("latin1", 0, newline).split(" ");
    const [question] = waiting;
    if (question === undefined) return 0;
    const sizeBytes = Number(digits);
    const isMissing = !/^\d+$/.test(digits);
    const end = newline + 1 + (question.withContent && !isMissing ? sizeBytes + 1 : 0);
    if (question.withContent && !isMissing && sizeBytes > question.mostBytes) {
      waiting.shift();
      question.resolve({ info: { oid, type, sizeBytes }, content: undefined });
      passedOver = Math.max(end - bytes.length, 0);
      return Math.min(end, bytes.length);
    }
    needed = end;
    if (bytes.length < end) return 0;
    waiting.shift();
    const part = bytes.subarray(newline + 1, Math.max(newline + 1, end - 1));
    // A small part would keep everything that came with it in memory.
    const content = part.length > 1024 * 1024 ? part : Buffer.from(part);
    question.resolve(isMissing ? undefined : { info: { oid, type, sizeBytes }, content });
    return end;
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
    if (waiting.length === 0) keepAlive(false);
  };
}

/** An object that was read with many others. */
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

/** Each answer is a line with id, type and size, the content and a newline; of what is missing only a line. */
function parseAnswers(output: Buffer, count: number): readonly (ReadObject | undefined)[] {
  const found: (ReadObject | undefined)[] = [];
  for (let start = 0; found.length < count;) {
    const lineEnd = output.indexOf(10, start);
    const [oid = "", type = "", digits = ""] = output.toString("latin1", start, lineEnd).split(" ");
    start = lineEnd + 1;
    if (!/^\d+$/u.test(digits)) {
      found.push(undefined);
      continue;
    }
    const sizeBytes = Number(digits);
    found.push({ oid, type, sizeBytes, content: output.subarray(start, start + sizeBytes) });
    start += sizeBytes + 1;
  }
  return found;
}

/**
 * How large what a state carries may be. A state may come from somebody else, and a few kilobytes can stand for any
 * number of files or bytes: these are far above what a workspace holds, and far below what a machine cannot bear.
 */
export const STATE_LIMITS = {
  /** States that arrive at once. */
  states: 200_000,
  /** Names that arrive at once. */
  names: 100_000,
  /** Files and folders of one snapshot. */
  paths: 1_000_000,
  /** Folders within folders. */
  depth: 512,
  /** What the files of one snapshot take on the disk. */
  snapshotBytes: 64 * 1024 ** 3,
  /** What is not a file of the workspace and is read whole: trees, listings, transcripts. */
  partBytes: 128 * 1024 ** 2,
  /** `state.json`, `git.json`, a note, a commit. */
  smallBytes: 16 * 1024 ** 2,
  /** A file that is read into memory to be written; a larger one goes past it. */
  fileBytes: 8 * 1024 ** 2,
} as const;
