import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { recoverRecords } from "./recover-records.ts";

const record = (uuid: string, more: object = {}) => ({ type: "user", uuid, sessionId: "s", ...more });
const text = (value: unknown): string => JSON.stringify(value);

/** The uuids of what was recovered, and the bytes between. */
function recover(line: string, isEnded = true): readonly string[] {
  const bytes = Buffer.from(line);
  return recoverRecords(bytes, 0, bytes.length, isEnded).map(({ start, end, value, isBroken }) =>
    isBroken ? `-${end - start}` : String((value as { readonly uuid?: unknown }).uuid),
  );
}

describe("a torn line", () => {
  it("gives the record behind half of one, wherever that was cut off and whatever both begin with", () => {
    const torn = text({
      cwd: "/work",
      list: [1, { deep: [true, null, "a {\\ b"] }, []],
      message: { content: [{ type: "text", text: 'says "so" \u{1F600}' }] },
      type: "assistant",
      uuid: "torn",
      sessionId: "s",
    });
    const beginnings = [
      record("next"),
      { cwd: "/work", ...record("next") },
      { agentId: "a1", ...record("next") },
      { parentUuid: null, ...record("next", { data: { message: { type: "user", uuid: "inner" } } }) },
    ];
    for (const next of beginnings) {
      for (let cut = 1; cut < torn.length; cut += 1) {
        const half = Buffer.from(torn.slice(0, cut)).toString("utf8");
        expect([cut, recover(half + text(next))]).toEqual([cut, [`-${Buffer.byteLength(half)}`, "next"]]);
        expect(recover(half + text(next) + text(record("last"))).slice(1)).toEqual(["next", "last"]);
      }
    }
  });

  it("gives no record that stands inside of the half, such as a sub-agent's message in progress", () => {
    const inner = { type: "assistant", uuid: "inner", message: { id: "m", content: [] } };
    const progress = text({ type: "progress", data: { message: inner, agentId: "a" }, uuid: "outer", sessionId: "s" });
    for (let cut = 1; cut < progress.length; cut += 1) {
      const half = progress.slice(0, cut);
      expect([cut, recover(half)]).toEqual([cut, [`-${cut}`]]);
      expect([cut, recover(half + text(record("next")))]).toEqual([cut, [`-${cut}`, "next"]]);
      expect(recover(`${half}\u{1}${progress}`).at(-1)).toBe("outer");
    }
    // The head is gone instead: what is left of it holds the inner one, and is no record either.
    for (let cut = 1; cut < progress.length; cut += 1) {
      expect([cut, recover(progress.slice(cut) + text(record("next")))]).toEqual([
        cut,
        [`-${progress.length - cut}`, "next"],
      ]);
    }
  });

  it("gives the record behind any number of nested objects, however deep", () => {
    const blocks = Array.from({ length: 5000 }, (_, index) => ({ type: "text", uuid: `b${index}`, text: "x" }));
    const wide = text(record("wide", { message: { content: blocks } })).slice(0, -20);
    const deep = `{"type":"user","data":${'{"a":['.repeat(5000)}{"type":"x","uuid":"u"}`;
    for (const half of [wide, deep]) expect(recover(half + text(record("next")))).toEqual([`-${half.length}`, "next"]);
  });

  it("takes nothing for a record that may still be part of one, where the line has no end yet", () => {
    const swallowed = `{"type":"progress","data":${text(record("inner"))}`;
    expect(recover(swallowed, false)).toEqual([`-${swallowed.length}`]);
    expect(recover(swallowed, true)).toEqual(["-26", "inner"]);
    const whole = `${text(record("a"))}{"type":"user","te${text(record("b"))}`;
    expect(recover(`${whole}{"type":"us`, false)).toEqual(["a", "-18", "b", "-11"]);
  });

  it("keeps every byte in exactly one stretch, whatever the line is", () => {
    const piece = fc.oneof(
      fc.constantFrom("{", "}", "[", "]", '"', ":", ",", "\\", " ", "1e", "tru", '{"', '{"type":"user","uuid":"u"}'),
      fc.string(),
      fc.json(),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), fc.boolean(), (pieces, isEnded) => {
        const bytes = Buffer.from(pieces.join("").replaceAll("\n", ""));
        let at = 0;
        for (const { start, end } of recoverRecords(bytes, 0, bytes.length, isEnded)) {
          expect(bytes.toString("latin1", at, start).trim()).toBe("");
          expect(end).toBeGreaterThan(start);
          at = end;
        }
        expect(bytes.toString("latin1", at).trim()).toBe("");
      }),
      { numRuns: 2000 },
    );
  });
});

describe("the work on a torn line", () => {
  const SHAPES: Readonly<Record<string, (size: number) => string>> = {
    "objects without an end": (size) => '{"type":"user","a":'.repeat(size / 19),
    "many objects inside of a half": (size) =>
      `{"type":"user","list":[${'{"type":"text","uuid":"u"},'.repeat(size / 27)}`,
    "many halves": (size) => '{"type":"user","text":"abc'.repeat(size / 26),
    "halves cut where a value is due": (size) => '{"type":"user","data":'.repeat(size / 22),
    "braces and quotes": (size) => '{"'.repeat(size / 2),
    "braces and spaces": (size) => "{   ".repeat(size / 4),
    backslashes: (size) => `{"a":"${"\\".repeat(size)}`,
    "a word without an end": (size) => `{"a":${"a".repeat(size)}`,
    "arrays without an end": (size) => `{"a":${"[".repeat(size)}`,
    "records glued to each other": (size) => text(record("u")).repeat(size / 45),
    "damage before each record": (size) => `x${text(record("u"))}`.repeat(size / 46),
  };

  it.each(Object.entries(SHAPES))("grows with its length, and not faster: %s", (_name, shape) => {
    const [one, four] = [bytesTouched(shape(20_000)), bytesTouched(shape(80_000))];
    expect(four / one).toBeLessThan(4.4);
    expect(four).toBeLessThan(80_000 * 12);
  });
});

/** How many bytes are looked at: one by one, by a native search, and to be parsed. */
function bytesTouched(line: string): number {
  const bytes = Buffer.from(line);
  let count = 0;
  const counted = new Proxy(bytes, {
    get(target, key) {
      if (typeof key === "string" && /^-?\d+$/u.test(key)) {
        count += 1;
        return target[Number(key)];
      }
      if (key === "indexOf") {
        return (byte: number, from = 0) => {
          const found = target.indexOf(byte, from);
          count += (found === -1 ? target.length : found) - from;
          return found;
        };
      }
      if (key !== "toString") return Reflect.get(target, key, target) as unknown;
      return (encoding: BufferEncoding, start: number, end: number) => {
        count += end - start;
        return target.toString(encoding, start, end);
      };
    },
  });
  recoverRecords(counted, 0, bytes.length);
  return count;
}
