import { LINE_SCANNER } from "#line-scanner";
import { createMemory, LINE_FEED, type ReadMemory } from "../read/read-lines.ts";
import { KIND, END, type LineTable, PARSE, ROW_NUMBERS, SAYS_MORE, START, WORDS } from "./found-line.ts";

/** Is told of the lines of a block, in their order. */
export interface LineVisitor {
  /** A line between two places in the memory that must be parsed; whether it is one record of a kind that always is. */
  parse(start: number, end: number, isKnown: boolean): void;
  /** A line that was read; false where it must be parsed after all. */
  found(table: LineTable, row: number): boolean;
}

/** Goes over the lines of transcripts without parsing them. */
export interface LineScanner {
  /** What is to be gone over is read into this. */
  readonly memory: ReadMemory;
  /** Tells of the lines between two places in the memory; the last of them has its line feed. Gives how many lines there was nothing to tell of. */
  scan(start: number, end: number, visitor: LineVisitor): number;
  /** Where a line that was found begins in the memory. */
  startOf(table: LineTable, row: number): number;
  /** Another file begins: texts are told anew. */
  forgetTexts(): void;
}

interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number };
  readonly rowCount: { readonly value: number };
  readonly plainLines: { readonly value: number };
  rows(): number;
  blockTable(): number;
  wordList(list: number): number;
  forgetTexts(): void;
  scanLines(start: number, end: number, usageAlone: boolean): number;
}

/** Before it lies what the scanner writes. */
const BUFFER = 640 * 1024;
/** The scanner looks at some bytes after the last ones. */
const MARGIN = 64;
const PAGE = 64 * 1024;
const BLOCK_BYTES = 1024 * 1024;

/** Node's types leave it to those of browsers. */
interface WebAssembly {
  readonly Module: new (bytes: Buffer) => object;
  readonly Instance: new (module: object) => { readonly exports: object };
}

let compiled: object | undefined;

/**
 * Makes a scanner. Where the machine has no WebAssembly with vectors it tells that each line must be parsed: that is slower, and comes to the same.
 * `usageAlone` leaves
 * out all lines but those with usage.
 */
export function createLineScanner(usageAlone: boolean, blockBytes = BLOCK_BYTES): LineScanner {
  const program = startProgram(blockBytes);
  return program === undefined ? parseAll(blockBytes) : scannerOf(program, usageAlone, blockBytes);
}

function startProgram(blockBytes: number): Exports | undefined {
  try {
    const { WebAssembly } = globalThis as unknown as { readonly WebAssembly: WebAssembly };
    compiled ??= new WebAssembly.Module(Buffer.from(LINE_SCANNER, "base64"));
    const program = new WebAssembly.Instance(compiled).exports as Exports;
    const { memory } = program;
    memory.grow(Math.ceil((BUFFER + blockBytes + MARGIN - memory.buffer.byteLength) / PAGE));
    return program;
  } catch {
    return undefined;
  }
}

function scannerOf(program: Exports, usageAlone: boolean, blockBytes: number): LineScanner {
  let table = tableOf(program);
  for (const [list, words] of WORDS.entries()) writeWords(table.bytes, program.wordList(list), words);
  const memory = {
    buffer: table.bytes.subarray(BUFFER, BUFFER + blockBytes),
    grow(): void {
      const end = BUFFER + this.buffer.length * 2;
      const missing = end + MARGIN - table.bytes.length;
      if (missing > 0) program.memory.grow(Math.ceil(missing / PAGE));
      table = tableOf(program);
      this.buffer = table.bytes.subarray(BUFFER, end);
    },
  };
  return {
    memory,
    scan(start, end, visitor) {
      let plain = 0;
      for (let at = BUFFER + start; at < BUFFER + end;) {
        at = program.scanLines(at, BUFFER + end, usageAlone);
        plain += program.plainLines.value;
        visitRows(table, { first: program.rows() / 4, count: program.rowCount.value }, visitor);
      }
      return plain;
    },
    startOf: ({ numbers }, row) => (numbers[row + START] as number) - BUFFER,
    forgetTexts: () => program.forgetTexts(),
  };
}

function visitRows(
  table: LineTable,
  { first, count }: { readonly first: number; readonly count: number },
  visitor: LineVisitor,
): void {
  const { numbers } = table;
  for (let row = first; row < first + count * ROW_NUMBERS; row += ROW_NUMBERS) {
    const kind = numbers[row + KIND] as number;
    if (kind !== PARSE && kind !== SAYS_MORE && visitor.found(table, row)) continue;
    const start = (numbers[row + START] as number) - BUFFER;
    visitor.parse(start, (numbers[row + END] as number) - BUFFER, kind === SAYS_MORE);
  }
}

function tableOf({ memory: { buffer }, blockTable }: Exports): LineTable {
  return {
    bytes: Buffer.from(buffer),
    numbers: new Uint32Array(buffer),
    moments: new Float64Array(buffer),
    blocks: blockTable() / 4,
  };
}

const NEXT = 32;
const FIRST_WORD = 64;
const WORD_BYTES = 32;
const NONE = 0xff;

/** Writes a list as `scanner/words.ts` reads it: the first word of each length, for each word the next of its length, the words. */
function writeWords(bytes: Buffer, list: number, words: readonly string[]): void {
  bytes.fill(NONE, list, list + FIRST_WORD);
  for (const [index, word] of words.entries()) {
    bytes.write(word, list + FIRST_WORD + index * WORD_BYTES, "latin1");
    let at = list + word.length;
    while (bytes[at] !== NONE) at = list + NEXT + (bytes[at] as number);
    bytes[at] = index;
  }
}

function parseAll(blockBytes: number): LineScanner {
  const memory = createMemory(blockBytes);
  return {
    memory,
    scan(start, end, visitor) {
      for (let at = start; at < end;) {
        const lineEnd = memory.buffer.indexOf(LINE_FEED, at);
        visitor.parse(at, lineEnd, false);
        at = lineEnd + 1;
      }
      return 0;
    },
    startOf: () => 0,
    forgetTexts: () => undefined,
  };
}
