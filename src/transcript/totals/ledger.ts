import { allocate, type Columns, mapShape, rowsOf, type Shape } from "../digest/columns.ts";
import { CALLS, type FileDigest, type FileFacts, MESSAGES, USAGE } from "../digest/file-digest.ts";

/** Where a file's rows are in a table. */
export interface RowRange {
  readonly start: number;
  readonly end: number;
}

export const TABLES = { messages: MESSAGES, calls: CALLS, usage: USAGE } as const;
export type TableName = keyof typeof TABLES;
export const TABLE_NAMES = Object.keys(TABLES) as readonly TableName[];

/** A file of a ledger, and where its rows are. */
export interface LedgerFile extends Readonly<Record<TableName, RowRange>> {
  readonly facts: FileFacts;
}

/** The digests of a whole history: the files in the order of their paths, and the rows of all of them one after the other. */
export interface Ledger {
  readonly files: readonly LedgerFile[];
  readonly messages: FileDigest["messages"];
  readonly calls: FileDigest["calls"];
  readonly usage: FileDigest["usage"];
}

export const EMPTY_LEDGER: Ledger = {
  files: [],
  messages: allocate(MESSAGES, 0),
  calls: allocate(CALLS, 0),
  usage: allocate(USAGE, 0),
};

/** The digest of one file of a ledger. */
export function digestOf(ledger: Ledger, file: LedgerFile): FileDigest {
  const part = <S extends Shape>(shape: S, columns: Columns<S>, { start, end }: RowRange): Columns<S> =>
    mapShape(shape, (name) => columns[name].subarray(start, end));
  return {
    facts: file.facts,
    messages: part(MESSAGES, ledger.messages, file.messages),
    calls: part(CALLS, ledger.calls, file.calls),
    usage: part(USAGE, ledger.usage, file.usage),
  };
}

/** A file as it is in another ledger, with what is known of it as a whole; or one that was read. */
export type LedgerPart = FileDigest | { readonly from: Ledger; readonly file: LedgerFile; readonly facts: FileFacts };

/** Puts a ledger together. Files that lay side by side in another ledger are taken over at once. */
export function assembleLedger(parts: readonly LedgerPart[]): Ledger {
  const sorted = parts.toSorted((left, right) => (left.facts.path < right.facts.path ? -1 : 1));
  const ranges = sorted.map((part): Record<TableName, RowRange> => {
    const rangeOf = (name: TableName): RowRange =>
      "from" in part ? part.file[name] : { start: 0, end: rowsOf<Shape>(part[name]) };
    return { messages: rangeOf("messages"), calls: rangeOf("calls"), usage: rangeOf("usage") };
  });
  const tables = Object.fromEntries(TABLE_NAMES.map((name) => [name, joinTable(name, sorted, ranges)]));
  const ends = { messages: 0, calls: 0, usage: 0 };
  const files = sorted.map(({ facts }, index): LedgerFile => {
    const placed = TABLE_NAMES.map((name) => {
      const { start, end } = (ranges[index] as Record<TableName, RowRange>)[name];
      const place = { start: ends[name], end: ends[name] + end - start };
      ends[name] = place.end;
      return [name, place];
    });
    return { facts, ...(Object.fromEntries(placed) as Record<TableName, RowRange>) };
  });
  return { files, ...(tables as Pick<Ledger, TableName>) };
}

function joinTable(
  name: TableName,
  parts: readonly LedgerPart[],
  ranges: readonly Readonly<Record<TableName, RowRange>>[],
): Columns<Shape> {
  const runs: { columns: Columns<Shape>; start: number; end: number }[] = [];
  let rows = 0;
  for (const [index, part] of parts.entries()) {
    const columns: Columns<Shape> = "from" in part ? part.from[name] : part[name];
    const { start, end } = (ranges[index] as Readonly<Record<TableName, RowRange>>)[name];
    const last = runs.at(-1);
    if (last?.columns === columns && last.end === start) last.end = end;
    else runs.push({ columns, start, end });
    rows += end - start;
  }
  const joined = allocate<Shape>(TABLES[name], rows);
  for (const column of Object.keys(TABLES[name])) {
    let at = 0;
    for (const { columns, start, end } of runs) {
      joined[column]?.set((columns[column] as Uint32Array).subarray(start, end), at);
      at += end - start;
    }
  }
  return joined;
}
