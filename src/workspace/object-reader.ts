import { SkeinError } from "../core/index.ts";
import { endOf, spawnGit, type GitProcess } from "./run-git.ts";
import { gitError } from "./storage-error.ts";

/** Reads objects by one long-lived git. */
export interface ObjectReader {
  /** An object's type and size; undefined where there is none. `name` is an id or a ref. */
  info(name: string): Promise<ObjectInfo | undefined>;
  /** An object's content. */
  content(oid: string): Promise<Buffer>;
  close(): Promise<void>;
}

/** What is known of an object without reading it. */
export interface ObjectInfo {
  readonly oid: string;
  readonly type: string;
  readonly sizeBytes: number;
}

/** Starts with the first question; does not keep the host process alive while nothing is asked. */
export function createObjectReader(gitDirectory: string): ObjectReader {
  let running: Batch | undefined;
  const ask = async (command: "info" | "contents", name: string): Promise<Answer | undefined> => {
    if (running?.ended) running = undefined;
    running ??= startBatch(gitDirectory);
    return await running.ask(command, name);
  };
  return {
    info: async (name) => (await ask("info", name))?.info,
    async content(oid) {
      const answer = await ask("contents", oid);
      if (answer) return answer.content;
      throw new SkeinError(`The snapshot store does not hold ${oid}`, {
        kind: "filesystem",
        target: oid,
        hint: "Its snapshot may have been removed; verify tells what else is missing",
      });
    },
    async close() {
      await running?.close();
      running = undefined;
    },
  };
}

interface Answer {
  readonly info: ObjectInfo;
  readonly content: Buffer;
}

interface Waiting {
  readonly withContent: boolean;
  resolve(answer: Answer | undefined): void;
  reject(reason: unknown): void;
}

interface Batch {
  readonly ended: boolean;
  ask(command: "info" | "contents", name: string): Promise<Answer | undefined>;
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
    ask: (command, name) =>
      new Promise((resolve, reject) => {
        waiting.push({ withContent: command === "contents", resolve, reject });
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
  const parseOne = (bytes: Buffer): number => {
    const newline = bytes.indexOf(10);
    if (newline === -1) return 0;
    const [oid = "", type = "", digits = ""] = bytes.toString("latin1", 0, newline).split(" ");
    const [question] = waiting;
    if (question === undefined) return 0;
    const sizeBytes = Number(digits);
    const isMissing = !/^\d+$/.test(digits);
    const end = newline + 1 + (question.withContent && !isMissing ? sizeBytes + 1 : 0);
    needed = end;
    if (bytes.length < end) return 0;
    waiting.shift();
    const content = Buffer.from(bytes.subarray(newline + 1, Math.max(newline + 1, end - 1)));
    question.resolve(isMissing ? undefined : { info: { oid, type, sizeBytes }, content });
    return end;
  };
  return (chunk) => {
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
