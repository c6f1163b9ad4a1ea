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

/** Reads the whole lines that a journal has gained; half a line at the end is left for the next time. Nothing where there is no journal. */
export async function readOn(
  { path, offset, line }: JournalPlace,
  most = Infinity,
): Promise<{ readonly lines: readonly ReadLine[]; readonly offset: number }> {
  await using file = await open(path, "r").catch(() => undefined);
  if (!file) return { lines: [], offset };
  const lines: ReadLine[] = [];
  let at = offset;
  let rest: Buffer = Buffer.alloc(0);
  let size = FIRST_BYTES;
  let isMore = true;
  while (isMore && lines.length < most) {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(size), 0, size, at + rest.length);
    isMore = bytesRead === size;
    size = Math.min(size * 4, MOST_BYTES);
    const bytes = Buffer.concat([rest, buffer.subarray(0, bytesRead)]);
    let start = 0;
    for (let end = bytes.indexOf(10); end !== -1 && lines.length < most; end = bytes.indexOf(10, start)) {
      const text = bytes.toString("utf8", start, end);
      lines.push({ line: line + lines.length + 1, event: JournalLine.safeParse(parseJson(text)).data });
      start = end + 1;
    }
    at += start;
    rest = bytes.subarray(start);
  }
  return { lines, offset: at };
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
