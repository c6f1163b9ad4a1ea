/** Where something stands in a text, both counted from 1. */
export interface TextPosition {
  readonly line: number;
  readonly column: number;
}

/** The way to a value in JSON: `["plugins", 0, "module"]`. */
export type JsonPath = readonly (string | number)[];

/** What a text says as JSON and where each part of it stands; or what is wrong with it, and where. */
export type LocatedJson =
  | {
      readonly isJson: true;
      readonly value: unknown;
      /** Where a value begins; of one that is not there, the nearest around it. */
      valueAt(path: JsonPath): TextPosition;
      /** Where a key begins; where there is no such key, the same as for its value. */
      keyAt(path: JsonPath): TextPosition;
    }
  | { readonly isJson: false; readonly message: string; readonly hint: string; readonly position: TextPosition };

/** Deeper than this no file of ours is meant to go, and a hostile one would use up the stack. */
const DEEPEST = 64;

/** Reads JSON as `JSON.parse` does and remembers where everything stands. A key that is given twice is a mistake here. */
export function locateJson(given: string): LocatedJson {
  const text = given.replace(/^\ufeff/u, "");
  const reader = createReader(text);
  try {
    const value = reader.readAll();
    const find = (known: ReadonlyMap<string, number>, path: JsonPath): number | undefined =>
      known.get(JSON.stringify(path));
    const valueAt = (path: JsonPath): number => {
      for (let length = path.length; length > 0; length -= 1) {
        const found = find(reader.values, path.slice(0, length));
        if (found !== undefined) return found;
      }
      return find(reader.values, []) ?? 0;
    };
    return {
      isJson: true,
      value,
      valueAt: (path) => positionAt(text, valueAt(path)),
      keyAt: (path) => positionAt(text, find(reader.keys, path) ?? valueAt(path)),
    };
  } catch (error) {
    if (!(error instanceof NotJson)) throw error;
    return { isJson: false, message: error.message, hint: error.hint, position: positionAt(text, error.offset) };
  }
}

class NotJson extends Error {
  readonly offset: number;
  readonly hint: string;

  constructor(message: string, offset: number, hint: string) {
    super(message);
    this.offset = offset;
    this.hint = hint;
  }
}

function positionAt(text: string, offset: number): TextPosition {
  const lines = text.slice(0, offset).split(/\r\n|\n|\r/u);
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
}

/** What JSON has beside objects, lists and texts. */
const WORD = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.+-])/uy;

// oxlint-disable-next-line no-control-regex -- JSON has no control characters in a text.
const TEXT = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/uy;

/** Reads the parts of which JSON is made, one after the other. */
function createScanner(text: string) {
  let at = 0;

  const fail = (message: string, hint = "The file must be JSON: see https://www.json.org", offset = at): never => {
    throw new NotJson(message, offset, hint);
  };

  const found = (): string =>
    at < text.length ? JSON.stringify(String.fromCodePoint(text.codePointAt(at) ?? 0)) : "the end of the file";

  const skipSpace = (): void => {
    while (" \t\n\r".includes(text[at] ?? "x")) at += 1;
    if (text.startsWith("//", at) || text.startsWith("/*", at)) fail("JSON has no comments", "Remove the comment.");
  };

  const match = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    const [word] = pattern.exec(text) ?? [];
    if (word !== undefined) at += word.length;
    return word;
  };

  return {
    fail,
    found,
    skipSpace,
    match,
    place: () => at,
    next: () => text[at],
    readText(): string {
      const word = match(TEXT);
      if (word !== undefined) return JSON.parse(word) as string;
      if (text[at] === "'") return fail("A text stands in double quotes", "Write \"…\" in the place of '…'.");
      return fail("This text does not end, or has an escape or a line break that JSON does not have");
    },
    /** What stands between two brackets, with commas between. */
    readParts(end: string, readPart: () => void): void {
      at += 1;
      skipSpace();
      if (text[at] === end) return void (at += 1);
      for (;;) {
        readPart();
        skipSpace();
        if (text[at] === end) return void (at += 1);
        if (text[at] !== ",") fail(`Expected a comma or ${end}, not ${found()}`, "Is a comma missing before it?");
        const comma = at;
        at += 1;
        skipSpace();
        if (text[at] === end) fail("There is a comma too many", "JSON has no comma after the last entry.", comma);
      }
    },
  };
}

function createReader(text: string) {
  const values = new Map<string, number>();
  const keys = new Map<string, number>();
  const { fail, found, skipSpace, match, place, next, readText, readParts } = createScanner(text);

  const readObject = (path: JsonPath): unknown => {
    const entries = new Map<string, unknown>();
    readParts("}", () => {
      if (next() !== '"' && next() !== "'") fail(`Expected a key in double quotes, not ${found()}`);
      const start = place();
      const key = readText();
      const own = [...path, key];
      if (entries.has(key)) fail(`${JSON.stringify(key)} is there twice`, "Keep one.", start);
      keys.set(JSON.stringify(own), start);
      skipSpace();
      if (match(/:/uy) === undefined) fail(`Expected a colon after ${JSON.stringify(key)}, not ${found()}`);
      entries.set(key, readValue(own));
    });
    return Object.fromEntries(entries);
  };

  const readList = (path: JsonPath): unknown => {
    const items: unknown[] = [];
    readParts("]", () => items.push(readValue([...path, items.length])));
    return items;
  };

  const readValue = (path: JsonPath): unknown => {
    skipSpace();
    values.set(JSON.stringify(path), place());
    if (path.length > DEEPEST) fail(`It is nested deeper than ${DEEPEST} levels`);
    if (next() === "{") return readObject(path);
    if (next() === "[") return readList(path);
    if (next() === '"' || next() === "'") return readText();
    const word = match(WORD);
    return word === undefined ? fail(`Expected a value, not ${found()}`) : (JSON.parse(word) as unknown);
  };

  const readAll = (): unknown => {
    const value = readValue([]);
    skipSpace();
    if (next() !== undefined) fail(`Nothing may follow the value, but ${found()} does`);
    return value;
  };
  return { values, keys, readAll };
}
