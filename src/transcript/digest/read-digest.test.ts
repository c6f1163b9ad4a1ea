import fc from "fast-check";
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { propertyRuns } from "../../../test/support/property-runs.ts";
import { allSamples } from "../../../test/support/transcript-samples.ts";
import { answer, prompt, toolResult, type WrittenRecord } from "../../../test/support/write-history.ts";
import { createLineScanner } from "../scan/line-scanner.ts";
import { scanFile } from "../scan/scan-file.ts";
import { createDigestBuilder } from "./digest-builder.ts";
import type { FileDigest } from "./file-digest.ts";
import { type DigestJob, readDigest } from "./read-digest.ts";

let root: string;
let path: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "skein-digest-"));
  path = join(root, "s.jsonl");
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

function jobOf(before?: FileDigest): DigestJob {
  const times = { modifiedAtNs: "", changedAtNs: "" };
  const place = { path, folder: "-work-app", isSubagent: false, identity: "", sizeBytes: 0, isPurged: false, ...times };
  return { place, parentSessionId: undefined, before };
}

/** Reads by the walk over bytes. */
function read(before?: FileDigest): FileDigest {
  const reading = readDigest(jobOf(before), createLineScanner(false, 256));
  for (let next = reading.next(); ; next = reading.next()) if (next.done) return next.value;
}

/** The same by parsing every line. */
function parsed({ facts }: FileDigest): FileDigest {
  const builder = createDigestBuilder({ path, folder: "-work-app", parentSessionId: undefined });
  for (const entry of scanFile(path)) {
    if (entry.type === "record") builder.addRecord(entry);
    else builder.addBroken();
  }
  return builder.finish(facts);
}

describe("a digest", () => {
  it("is the same whether a transcript's lines are walked or parsed", () => {
    for (const { name, bytes } of allSamples()) {
      writeFileSync(path, bytes);
      const digest = read();
      expect([name, digest]).toEqual([name, parsed(digest)]);
    }
  });

  it("is the same where the machine has no WebAssembly", () => {
    for (const { name, bytes } of allSamples()) {
      writeFileSync(path, bytes);
      const digest = read();
      vi.stubGlobal("WebAssembly", undefined);
      const without = read();
      vi.unstubAllGlobals();
      expect([name, without]).toEqual([name, digest]);
    }
  });

  it("is the same for any values where the reader looks, however keys are escaped and repeated", () => {
    const odd = fc.constantFrom<unknown>(
      null,
      1,
      true,
      "",
      "a\\b",
      "ü",
      [],
      {},
      ["x"],
      { type: "tool_use" },
      -1,
      1e300,
    );
    const field = fc.constantFrom(
      ..."type uuid cwd version sessionId timestamp isSidechain message costUSD".split(" "),
    );
    const inside = fc.constantFrom("id", "model", "usage", "stop_reason", "content");
    const record = fc.record({ base: fc.nat(5), field, inside, value: odd, way: fc.nat(4) });
    fc.assert(
      fc.property(fc.array(record, { maxLength: 8 }), (changes) => {
        writeFileSync(path, changes.map((change) => `${lineOf(change)}\n`).join(""));
        const digest = read();
        expect(digest).toEqual(parsed(digest));
      }),
      { numRuns: propertyRuns({ few: 300, all: 3000 }) },
    );
  });

  it("is the same when a file is read in parts, cut anywhere", () => {
    const samples = allSamples().filter(({ bytes }) => bytes.length < 60_000);
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(fc.constantFrom(...samples), fc.array(share, { maxLength: 5 }), ({ bytes }, shares) => {
        const places = [...shares, 1].map((each) => Math.floor(bytes.length * each)).toSorted((a, b) => a - b);
        writeFileSync(path, "");
        let digest: FileDigest | undefined;
        let from = 0;
        for (const place of places) {
          appendFileSync(path, bytes.subarray(from, place));
          from = place;
          digest = read(digest);
        }
        expect(digest).toEqual(read());
      }),
      { numRuns: propertyRuns({ few: 30, all: 200 }) },
    );
  });
});

const BASES: readonly WrittenRecord[] = [
  prompt("p", "a prompt", { sessionId: "s" }),
  answer("a", "an answer", { sessionId: "s", id: "m", call: { id: "t", name: "Bash" } }),
  answer("b", "more", { sessionId: "s", id: "m", output: 50, thinking: "so" }),
  toolResult("r", "a result", { sessionId: "s", callId: "t", isError: true }),
  { type: "ai-title", aiTitle: "title", sessionId: "s" },
  { type: "system", content: "said", uuid: "y", sessionId: "s" },
];

interface Change {
  readonly base: number;
  readonly field: string;
  readonly inside: string;
  readonly value: unknown;
  readonly way: number;
}

function lineOf({ base, field, inside, value, way }: Change): string {
  const record = BASES[base] as Record<string, unknown>;
  const message = { ...(record["message"] as object | undefined), [inside]: value };
  if (way === 0) return JSON.stringify({ ...record, [field]: value });
  if (way === 1) return JSON.stringify({ ...record, message });
  const repeated = `{${JSON.stringify(field)}:${JSON.stringify(value)},${JSON.stringify(record).slice(1)}`;
  if (way === 2) return repeated;
  const escaped = `"\\u${field.charCodeAt(0).toString(16).padStart(4, "0")}${field.slice(1)}"`;
  if (way === 3) return repeated.replace(JSON.stringify(field), escaped);
  return JSON.stringify({ ...record, message }).replace(/"(?=[a-z_]+":)/u, ' "');
}

describe("a moment", () => {
  it("is the one that Date.parse gives", () => {
    const time = fc
      .date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true })
      .map((date) => date.toISOString());
    const mangled = fc.tuple(time, fc.nat(23), fc.constantFrom("9", "x", "-", " ")).map(([text, at, sign]) => {
      return text.slice(0, at) + sign + text.slice(at + 1);
    });
    fc.assert(
      fc.property(fc.oneof(time, mangled), (text) => {
        writeFileSync(path, `${JSON.stringify({ ...answer("a", "said", { sessionId: "s" }), timestamp: text })}\n`);
        expect([...read().messages.timestampMs]).toEqual([Date.parse(text)]);
      }),
      { numRuns: 1000 },
    );
  });
});
