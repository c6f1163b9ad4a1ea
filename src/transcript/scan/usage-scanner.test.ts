import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { usageLineOf } from "../usage/usage-line.ts";
import { createUsageScanner } from "./usage-scanner.ts";

const scan = createUsageScanner();

/** What the scanner reads out of a line that holds one record. */
function scanText(text: string): unknown {
  const bytes = Buffer.from(text);
  const found = scan(bytes, 0, bytes.length);
  return found === undefined ? "broken" : (found.line ?? "none");
}

/** What `JSON.parse` would have read. */
function parseText(text: string): unknown {
  return usageLineOf(JSON.parse(text)) ?? "none";
}

const tokens = fc.oneof(fc.nat(), fc.constantFrom(null, "7", -1, 1.5));
const usage = fc.record(
  {
    input_tokens: tokens,
    output_tokens: tokens,
    cache_read_input_tokens: tokens,
    cache_creation_input_tokens: tokens,
    cache_creation: fc.record({ ephemeral_5m_input_tokens: tokens, ephemeral_1h_input_tokens: tokens }),
    iterations: fc.array(fc.record({ type: fc.constantFrom("message", "advisor_message"), output_tokens: tokens })),
    speed: fc.constantFrom("fast", "standard"),
  },
  { requiredKeys: [] },
);
const message = fc.record(
  {
    id: fc.string(),
    model: fc.string(),
    content: fc.jsonValue(),
    stop_reason: fc.option(fc.string()),
    usage: fc.oneof(usage, fc.jsonValue()),
    type: fc.constant("message"),
  },
  { requiredKeys: [] },
);
const record = fc.record(
  {
    message: fc.oneof(message, fc.jsonValue()),
    type: fc.constantFrom("assistant", "assistant", "user", "progress", "assistánt"),
    data: fc.record({
      type: fc.constant("agent_progress"),
      message: fc.record({ type: fc.constant("assistant"), message }),
    }),
    toolUseResult: fc.record({ type: fc.constant("assistant"), usage }),
    uuid: fc.string(),
    cwd: fc.string({ unit: "grapheme" }),
    timestamp: fc.string(),
    sessionId: fc.string(),
    agentId: fc.option(fc.string()),
    isSidechain: fc.boolean(),
    costUSD: fc.double({ noNaN: true, noDefaultInfinity: true }),
  },
  { requiredKeys: [] },
);

describe("the usage scanner", () => {
  it("reads what JSON.parse reads, of any record", () => {
    fc.assert(
      fc.property(record, fc.constantFrom(undefined, 1), (value, space) => {
        const text = JSON.stringify(value, undefined, space);
        expect(scanText(text)).toEqual(parseText(text));
      }),
      { numRuns: 1_500 },
    );
  });

  it("takes the top level's fields, not those of the same name below it", () => {
    const nested = {
      type: "assistant",
      message: { id: "no", usage: { output_tokens: 999 } },
      usage: { output_tokens: 5 },
    };
    const lines = [
      { toolUseResult: nested, type: "user", message: { role: "user", content: JSON.stringify(nested) } },
      { data: nested, type: "progress" },
      { attachment: nested, type: "attachment" },
      {
        type: "assistant",
        uuid: "u",
        message: { content: [nested], usage: { output_tokens: 8 }, id: "yes", model: "m" },
      },
    ];
    const outputs = lines.map((line) => {
      const found = scanText(JSON.stringify(line));
      expect(found).toEqual(parseText(JSON.stringify(line)));
      return found;
    });
    expect(outputs).toEqual(["none", "none", "none", expect.objectContaining({ messageId: "yes" })]);
  });

  it("agrees about keys that come twice and keys that are escaped", () => {
    const texts = [
      '{"type":"user","type":"assistant","message":{"id":"a","usage":{"output_tokens":1},"usage":{"output_tokens":2}}}',
      '{"type":"assistant","message":{"id":"a","usage":{"output_tokens":1}},"message":{"id":"b"}}',
      '{"\\u0074ype":"assistant","message":{"\\u0069d":"a","usage":{"output_tokens":3}}}',
      '{"type":"assist\\u0061nt","message":{"id":"a","\\u0075sage":{"output_tokens":4}}}',
    ];
    for (const text of texts) expect(scanText(text)).toEqual(parseText(text));
  });

  it("says that what is no JSON is broken", () => {
    expect(scanText('{"type":"assistant","message":{"usage":{"output_tokens":1}}')).toBe("broken");
    expect(scanText('{"type":"assistant",,"message":{}}')).toBe("broken");
  });
});
