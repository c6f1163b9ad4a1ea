import { describe, expect, it } from "vitest";
import type { Entry } from "./entries.ts";
import { createJournalTimeline, fromJournal } from "./from-journal.ts";

const events = (...list: readonly { readonly type: string; readonly [field: string]: unknown }[]) =>
  list.map((event, place) => ({ line: place + 1, event: { timestamp: "2026-11-19T13:00:00Z", ...event } }));

/** Forty lines about six calls, by a number. */
function anyJournal(seed: number) {
  let state = seed + 1;
  const any = (count: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * count);
  };
  return events(
    ...Array.from({ length: 40 }, (_, place) => {
      const parent = any(3) === 0 ? {} : { parent_tool_use_id: `t${any(6)}` };
      const call = { tool_use_id: `t${any(6)}`, tool: "Task" };
      const kinds = [
        { type: "text", text: `${place}`, ...parent },
        { type: "tool-start", ...call, input: { place }, ...parent },
        { type: "tool-end", ...call, output: `${place}`, is_error: any(2) === 0, duration_ms: place },
      ];
      return kinds[any(3)] ?? { type: "text", text: "" };
    }),
  );
}

describe("the timeline of a journal that grows", () => {
  // Calls and words of sub-agents in any order, also before the calls that they work for.
  it.each(Array.from({ length: 40 }, (_, seed) => seed))(
    "is the same read line by line as read at once, journal %i",
    (seed) => {
      const lines = anyJournal(seed);
      const read = createJournalTimeline();
      let place = 0;
      let entries: readonly Entry[] = [];
      while (place < lines.length) {
        place += 1 + ((seed * 7 + place) % 3);
        entries = read(lines.slice(0, place), false);
        expect(entries).toEqual(fromJournal(lines.slice(0, place), false));
      }
      expect(read(lines, true)).toEqual(fromJournal(lines, true));
      expect(read(lines.slice(0, 5), false)).toEqual(fromJournal(lines.slice(0, 5), false));
    },
  );

  it("keeps what has not changed, so that it is not drawn again", () => {
    const many = events(...Array.from({ length: 100 }, (_, place) => ({ type: "text", text: `${place}` })));
    const read = createJournalTimeline();
    const before = read(many.slice(0, 90), false);
    const after = read(many, false);
    expect(after.slice(0, before.length).map((entry, place) => entry === before[place])).toEqual(
      before.map(() => true),
    );
  });

  it("follows a journal line by line to its twenty thousandth", () => {
    const many = events(
      ...Array.from({ length: 20_000 }, (_, place) => ({ type: "tool-start", tool_use_id: `${place}`, tool: "A" })),
    );
    const read = createJournalTimeline();
    for (let place = 0; place < many.length; place += 100) read(many.slice(0, place), false);
    expect(read(many, false)).toHaveLength(20_000);
  });
});
