import { closeSync, constants, openSync, readSync } from "node:fs";
import { open } from "node:fs/promises";
import { JournalLine, parseJson } from "../../core/internal.ts";

/** A journal as far as it was read. */
export interface JournalPlace {
  readonly path: string;
  /** The first byte that was not read yet: where a line begins. */
  readonly offset: number;
  /** The number of the last line that was read. */
  readonly line: number;
}

/** A line that was read: what is no event of ours is told by its number alone. */
export interface ReadLine {
  readonly line: number;
  readonly event: JournalLine | undefined;
}

/** Mostly a line or two were added; who has much to read does so in larger pieces. */
const FIRST_BYTES = 16 * 1024;
const MOST_BYTES = 1024 ** 2;

/** One for all: what is read of it is taken out at once. */
const first = Buffer.alloc(FIRST_BYTES);

/** Reads the whole lines that a journal has gained; half a line at the end is left for the next time. Nothing where there is no journal. */
export async function readOn(
  { path, offset, line }: JournalPlace,
  most = Infinity,
): Promise<{ readonly lines: readonly ReadLine[]; readonly offset: number }> {
  const taker = takeLines(line, most);
  const read = readFirst(path, offset);
  if (read === undefined) return { lines: [], offset };
  let at = offset + taker.take(first.subarray(0, read));
  if (read < FIRST_BYTES) return { lines: taker.lines, offset: at };
  let rest: Buffer = Buffer.from(first.subarray(at - offset));
  await using file = await open(path, "r");
  let isMore = true;
  for (let size = FIRST_BYTES * 4; isMore && !taker.isFull(); size = Math.min(size * 4, MOST_BYTES)) {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(size), 0, size, at + rest.length);
    isMore = bytesRead === size;
    const bytes = Buffer.concat([rest, buffer.subarray(0, bytesRead)]);
    const taken = taker.take(bytes);
    at += taken;
    rest = bytes.subarray(taken);
  }
  return { lines: taker.lines, offset: at };
}

/**
 * Reads what is mostly all, and at once: a turn writes a dozen lines, each of which is read from the page cache in less time than a wait for the file
 * to be opened, read and closed takes of the processor, beside which the turn runs. Undefined where there is no file.
 */
function readFirst(path: string, offset: number): number | undefined {
  const file = openFirst(path);
  if (file === undefined) return undefined;
  try {
    return readSync(file, first, 0, FIRST_BYTES, offset);
  } finally {
    closeSync(file);
  }
}

function openFirst(path: string): number | undefined {
  try {
    return openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch {
    return undefined;
  }
}

/** Takes whole lines out of bytes, up to so many; gives how many bytes they are. */
function takeLines(line: number, most: number) {
  const lines: ReadLine[] = [];
  return {
    lines,
    isFull: () => lines.length >= most,
    take(bytes: Buffer): number {
      let start = 0;
      for (let end = bytes.indexOf(10); end !== -1 && lines.length < most; end = bytes.indexOf(10, start)) {
        const text = bytes.toString("utf8", start, end);
        lines.push({ line: line + lines.length + 1, event: JournalLine.safeParse(parseJson(text)).data });
        start = end + 1;
      }
      return start;
    },
  };
}

const TAIL_BYTES = 256;

/** Whether a journal says that its run came to its end, without reading the rest. */
export async function saysEnd(path: string): Promise<boolean> {
  await using file = await open(path, "r").catch(() => undefined);
  if (!file) return true;
  const { size } = await file.stat();
  const at = Math.max(0, size - TAIL_BYTES);
  const { bytesRead, buffer } = await file.read(Buffer.alloc(TAIL_BYTES), 0, TAIL_BYTES, at);
  const tail = buffer.toString("utf8", 0, bytesRead);
  return tail.endsWith("\n") && tail.trimEnd().split("\n").at(-1)?.startsWith('{"type":"run-end"') === true;
}
