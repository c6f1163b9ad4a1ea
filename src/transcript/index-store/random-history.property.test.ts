import fc from "fast-check";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { propertyRuns } from "../../../test/support/property-runs.ts";
import { answer, linesOf, prompt, toolResult, type WrittenRecord } from "../../../test/support/write-history.ts";
import { scanUsage } from "../scan/scan-usage.ts";
import { openTranscriptIndex } from "./open-transcript-index.ts";
import type { TranscriptIndex } from "./transcript-index.ts";

const NAMES = ["a", "b", "c"] as const;
type Name = (typeof NAMES)[number];

/** What happens to the files between two refreshes. */
type Step =
  | { readonly type: "append"; readonly name: Name; readonly records: readonly number[]; readonly isHalf: boolean }
  | { readonly type: "truncate"; readonly name: Name; readonly share: number }
  | { readonly type: "replace"; readonly name: Name; readonly records: readonly number[] }
  | { readonly type: "copy"; readonly name: Name; readonly to: Name }
  | { readonly type: "garbage"; readonly name: Name }
  | { readonly type: "refresh" };

const name = fc.constantFrom(...NAMES);
const records = fc.array(fc.nat(40), { minLength: 1, maxLength: 4 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ type: fc.constant("append" as const), name, records, isHalf: fc.boolean() }) },
  fc.record({ type: fc.constant("truncate" as const), name, share: fc.double({ min: 0, max: 1, noNaN: true }) }),
  fc.record({ type: fc.constant("replace" as const), name, records }),
  fc.record({ type: fc.constant("copy" as const), name, to: name }),
  fc.record({ type: fc.constant("garbage" as const), name }),
  { weight: 3, arbitrary: fc.constant({ type: "refresh" as const }) },
);

it("an index that followed any changes is the same as one made of the files as they are", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 14 }), async (steps) => {
      const root = mkdtempSync(join(tmpdir(), "skein-transcript-random-"));
      const base = join(root, "projects");
      mkdirSync(join(base, "-work-app"), { recursive: true });
      try {
        await using followed = await openTranscriptIndex({ home: join(root, "one"), transcriptsHome: base });
        for (const each of steps) {
          if (each.type === "refresh") await followed.refresh();
          else change(join(base, "-work-app"), each);
        }
        await followed.refresh();
        await using fresh = await openTranscriptIndex({ home: join(root, "two"), transcriptsHome: base });
        await fresh.refresh();
        expect(await contentOf(followed)).toEqual(await contentOf(fresh));
        const paths = NAMES.map((each) => join(base, "-work-app", `${each}.jsonl`)).filter((path) => existsSync(path));
        expect((await followed.stats({ by: "model" })).total).toEqual((await scanUsage(paths)).total);
      } finally {
        rmSync(root, { recursive: true, force: true });
      }
    }),
    { numRuns: propertyRuns({ few: 8, all: 25 }), timeout: 50_000 },
  );
});

/** All that an index tells, but for ranks, which also depend on what it once held. */
async function contentOf(index: TranscriptIndex): Promise<unknown> {
  const groups = await Promise.all((["day", "model", "tool", "session"] as const).map((by) => index.stats({ by })));
  const found = await Promise.all(["prompt", "word1*", "thought"].map((words) => index.search(words, { limit: 1000 })));
  return {
    ...(await index.sessions()),
    groups,
    hits: found.map(({ hits }) =>
      hits.map(({ rank: _rank, ...hit }) => hit).toSorted((left, right) => (key(left) < key(right) ? -1 : 1)),
    ),
  };
}

function key({ path, offset }: { readonly path: string; readonly offset: number }): string {
  return `${path} ${offset}`;
}

function change(folder: string, each: Exclude<Step, { type: "refresh" }>): void {
  const path = join(folder, `${each.name}.jsonl`);
  if (!existsSync(path)) writeFileSync(path, "");
  switch (each.type) {
    case "append": {
      const text = linesOf(each.records.map((number) => toRecord(number, each.name)));
      return appendFileSync(path, each.isHalf ? text.slice(0, -20) : text);
    }
    case "truncate":
      return truncateSync(path, Math.floor(readFileSync(path).length * each.share));
    case "replace":
      rmSync(path);
      return writeFileSync(path, linesOf(each.records.map((number) => toRecord(number, each.name))));
    case "copy":
      return appendFileSync(join(folder, `${each.to}.jsonl`), readFileSync(path));
    case "garbage":
      return appendFileSync(path, '{"type":"assistant","message":{"usage"\n\n  \n[1]\n');
  }
}

/** A record by its number: the same number is the same record, also in another file. */
function toRecord(number: number, sessionId: string): WrittenRecord {
  const place = { sessionId, timestamp: new Date(Date.UTC(2026, 0, 1, number)).toISOString() };
  const uuid = number < 10 ? `shared-${number}` : `${sessionId}-${number}`;
  const callId = `call-${uuid}`.replace(/\d$/u, "");
  switch (number % 5) {
    case 0:
      return prompt(uuid, `prompt word${number}`, place);
    case 1:
      return answer(uuid, `answer word${number}`, { ...place, id: `m-${uuid}`, output: number });
    case 2:
      return answer(uuid, "", { ...place, id: `m-${uuid}`, thinking: "a thought", call: { id: callId, name: "Bash" } });
    case 3:
      return toolResult(uuid, `word${number}`, { ...place, callId, isError: number % 2 === 0 });
    default:
      return { type: "ai-title", aiTitle: `title word${number}`, sessionId };
  }
}
