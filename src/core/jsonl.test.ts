import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatJsonl, parseJsonl, splitJsonl, type JsonlLine, type JsonlRecord } from "./jsonl.ts";

async function collect<T>(source: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of source) items.push(item);
  return items;
}

/** The bytes in chunks, cut at the given places; every chunk shares one memory, as a read buffer does. */
async function* inChunks(bytes: Buffer, cuts: readonly number[]): AsyncGenerator<Uint8Array> {
  const places = [...cuts.map((cut) => cut % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length];
  const shared = Buffer.alloc(bytes.length);
  let start = 0;
  for (const end of places) {
    shared.fill(0x0a);
    bytes.copy(shared, 0, start, end);
    yield shared.subarray(0, end - start);
    start = end;
  }
}

const parse = (text: string | Buffer, cuts: readonly number[] = []): Promise<JsonlRecord[]> =>
  collect(parseJsonl(inChunks(Buffer.from(text as string), cuts)));

const split = (text: string | Buffer, cuts: readonly number[] = []): Promise<JsonlLine[]> =>
  collect(splitJsonl(inChunks(Buffer.from(text as string), cuts)));

const awkwardText = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string({
    unit: fc.constantFrom("\u2028", "\u2029", "\u0085", "\r", "\n", "\r\n", "\ufeff", "\0", "é", "😀", '"'),
  }),
);
const cuts = fc.array(fc.nat({ max: 10_000 }), { maxLength: 20 });

describe("parseJsonl", () => {
  it("reads back any values, wherever the bytes are cut", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.jsonValue({ stringUnit: "binary" })), cuts, async (values, places) => {
        const records = await parse(values.map(formatJsonl).join(""), places);
        expect(records.map((record) => record.type === "value" && JSON.stringify(record.value))).toEqual(
          values.map((value) => JSON.stringify(value)),
        );
      }),
    );
  });

  it("reads back any text: line separators, returns and marks inside a string are part of it", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(awkwardText), cuts, async (texts, places) => {
        const records = await parse(texts.map((text) => formatJsonl({ text })).join(""), places);
        expect(records.map((record) => record.type === "value" && record.value)).toEqual(
          texts.map((text) => ({ text })),
        );
      }),
    );
  });

  it("reads a line that ends in a return and a line feed", async () => {
    expect(await parse('{"a":1}\r\n{"a":2}\r\n')).toMatchObject([
      { type: "value", value: { a: 1 } },
      { type: "value", value: { a: 2 } },
    ]);
  });

  it("passes over blank lines and still counts them", async () => {
    expect((await parse("\n1\n \r\n\n2\n")).map(({ line }) => line.number)).toEqual([2, 5]);
  });

  it("tells a broken line and goes on", async () => {
    const records = await parse('1\n{"a":\n2\n');
    expect(records.map(({ type }) => type)).toEqual(["value", "broken", "value"]);
    expect(records[1]).toMatchObject({ message: expect.stringContaining("JSON"), line: { number: 2, offset: 2 } });
  });

  it("takes a half last line for half a record, and a whole one without its line feed for a value", async () => {
    expect(await parse('1\n{"a":')).toMatchObject([
      { type: "value", value: 1 },
      { type: "partial", line: { number: 2, offset: 2, terminated: false } },
    ]);
    expect(await parse("1\n[2]")).toMatchObject([
      { type: "value", value: 1 },
      { type: "value", value: [2], line: { terminated: false } },
    ]);
  });

  it("never calls a file broken while it grows, at whichever byte the reader meets its end", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.record({ text: awkwardText }), { minLength: 1 }), fc.nat(), async (values, end) => {
        const bytes = Buffer.from(values.map(formatJsonl).join(""));
        const records = await parse(bytes.subarray(0, end % (bytes.length + 1)));
        expect(records.filter(({ type }) => type === "broken")).toEqual([]);
        expect(records.slice(0, -1).filter(({ type }) => type === "partial")).toEqual([]);
      }),
    );
  });

  it("reads a file that begins with a byte order mark", async () => {
    expect(await parse("\ufeff1\n2\n")).toMatchObject([{ value: 1 }, { value: 2 }]);
  });

  it("gives nothing for an empty source", async () => {
    expect(await parse("")).toEqual([]);
  });
});

describe("splitJsonl", () => {
  it("gives every byte back: joined by line feeds, the lines are the source", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), cuts, async (array, places) => {
        const source = Buffer.from(array.map((byte) => (byte % 5 === 0 ? 0x0a : byte)));
        const lines = await split(source, places);
        const joined = lines.map(({ bytes, terminated }) =>
          terminated ? Buffer.concat([bytes, Buffer.from("\n")]) : bytes,
        );
        expect(Buffer.concat(joined)).toEqual(source);
        expect(lines.map(({ number }) => number)).toEqual(lines.map((_, index) => index + 1));
        for (const { offset, bytes } of lines) {
          expect(source.subarray(offset, offset + bytes.length)).toEqual(bytes);
        }
      }),
    );
  });

  it("keeps a line's bytes when the reader's buffer is used again", async () => {
    const lines = await split("first\nsecond\nthird\n", [3, 9]);
    expect(lines.map(({ bytes }) => bytes.toString())).toEqual(["first", "second", "third"]);
  });
});

describe("formatJsonl", () => {
  it("writes one compact line", () => {
    expect(formatJsonl({ text: "two\nlines", list: [1, 2] })).toBe('{"text":"two\\nlines","list":[1,2]}\n');
  });
});
