import { readBlocks } from "./read-blocks.ts";

const LINE_FEED = 0x0a;

/** The number of the line that begins at an offset: counted afresh, for the few lines that are reported. */
export function lineNumberAt(path: string, offset: number): number {
  try {
    return countLines(path, offset);
  } catch {
    // The file was deleted meanwhile. The offset still says where the line was.
    return 0;
  }
}

function countLines(path: string, offset: number): number {
  let number = 1;
  for (const block of readBlocks(path)) {
    if (block.offset >= offset) break;
    if (block.tooLong?.isEnded === true) number += 1;
    const end = Math.min(block.end, offset - block.offset);
    for (let at = block.bytes.indexOf(LINE_FEED); at !== -1 && at < end; at = block.bytes.indexOf(LINE_FEED, at + 1)) {
      number += 1;
    }
  }
  return number;
}
