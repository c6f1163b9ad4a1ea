/** The columns of a table by their names, each of one kind of number. */
export type Shape = Readonly<Record<string, keyof typeof ARRAYS>>;

const ARRAYS = { u8: Uint8Array, u32: Uint32Array, f64: Float64Array };

type ArrayOf<Kind extends keyof typeof ARRAYS> = InstanceType<(typeof ARRAYS)[Kind]>;

/** A table as one array a column, which is written, read and handed to another thread without a look at its rows. */
export type Columns<S extends Shape> = { readonly [Name in keyof S]: ArrayOf<S[Name]> };

/** A table that grows: set the cells of row `length`, which `next` has made. */
export interface Rows<S extends Shape> {
  columns: Columns<S>;
  length: number;
  /** Makes room for a row, and gives its number. */
  next(): number;
  /** The columns as long as the table, with memory of their own. */
  finish(): Columns<S>;
}

const FIRST_ROWS = 64;

/** Makes a table that goes on with what there was before it. To make room again and again for all that a large file has takes as long as half of reading it. */
export function createRows<S extends Shape>(shape: S, before?: Columns<S>, expected = FIRST_ROWS): Rows<S> {
  const length = before === undefined ? 0 : rowsOf(before);
  return {
    columns: before === undefined ? allocate(shape, expected) : copied(shape, before, expected + length),
    length,
    next() {
      const room = rowsOf(this.columns);
      if (this.length === room) this.columns = copied(shape, this.columns, room * 2);
      return this.length++;
    },
    finish() {
      return mapShape(shape, (name) => this.columns[name].slice(0, this.length));
    },
  };
}

export function rowsOf<S extends Shape>(columns: Columns<S>): number {
  for (const name in columns) return columns[name].length;
  return 0;
}

export function allocate<S extends Shape>(shape: S, rows: number): Columns<S> {
  return mapShape(shape, (_name, kind) => new ARRAYS[kind](rows));
}

/** The bytes that a column takes in a file: each begins where every kind of number may begin. */
export function paddedBytes(kind: keyof typeof ARRAYS, rows: number): number {
  return Math.ceil((ARRAYS[kind].BYTES_PER_ELEMENT * rows) / 8) * 8;
}

/** A column that lies in memory from a byte on. */
export function columnAt(kind: keyof typeof ARRAYS, memory: ArrayBuffer, start: number, rows: number) {
  return new ARRAYS[kind](memory, start, rows);
}

export function mapShape<S extends Shape>(
  shape: S,
  columnOf: (name: keyof S & string, kind: S[keyof S & string]) => unknown,
): Columns<S> {
  const made: Record<string, unknown> = {};
  for (const name of Object.keys(shape)) made[name] = columnOf(name, shape[name] as S[keyof S & string]);
  return made as Columns<S>;
}

function copied<S extends Shape>(shape: S, from: Columns<S>, rows: number): Columns<S> {
  const larger = allocate(shape, rows);
  for (const name of Object.keys(shape)) larger[name]?.set(from[name] as Uint32Array);
  return larger;
}
