import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { usageLineOf } from "../usage/usage-line.ts";
import { createFoundTexts } from "./found-texts.ts";
import { usageLineAt } from "./found-usage.ts";
import { parse } from "./json-bytes.ts";
import { createLineScanner } from "./line-scanner.ts";

const scanner = createLineScanner(true);
let parsedLines = 0;

/** What the scanner reads out of a line that holds one record, or leaves to be parsed. */
function scanText(text: string): unknown {
  const { texts, take } = createFoundTexts();
  const end = scanner.memory.buffer.write(`${text}\n`);
  let found: unknown = "none";
  scanner.forgetTexts();
  scanner.scan(0, end, {
    found(table, row) {
      const line = take(table, row) ? usageLineAt(table, row, texts, false) : null;
      found = line ?? found;
      return line !== null;
    },
    parse(start, lineEnd) {
      parsedLines += 1;
      const value = parse(scanner.memory.buffer, start, lineEnd);
      found = value === undefined ? "broken" : (usageLineOf(value) ?? "none");
    },
  });
  return found;
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

describe("the line scanner", () => {
  it("reads what JSON.parse reads, of any record", () => {
    fc.assert(
      fc.property(record, fc.constantFrom(undefined, 1), (value, space) => {
        // A line has no line feed.
        const text = JSON.stringify(value, undefined, space).replaceAll("\n", "\r");
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

  it("parses no line of an answer as the CLI writes them, nor others", () => {
    parsedLines = 0;
    const tokensOf = (line: unknown): unknown => (line as { readonly usage: unknown }).usage;
    const counts = { input_tokens: 4, cache_creation_input_tokens: 30, cache_read_input_tokens: 7, output_tokens: 9 };
    const split = { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 20 };
    const more = { server_tool_use: { web_search_requests: 2 }, service_tier: "standard", inference_geo: "us" };
    const value = {
      parentUuid: null,
      isSidechain: true,
      cwd: "C:\\work\\app",
      sessionId: "s",
      agentId: "a",
      message: {
        model: "claude",
        id: "msg_1",
        content: [{ type: "text", text: 'quotes " and \\ and \n of any length'.repeat(9) }],
        stop_reason: null,
        usage: { ...counts, cache_creation: split, ...more },
      },
      type: "assistant",
      uuid: "u",
      timestamp: "2026-11-15T09:30:00.000Z",
    };
    const text = JSON.stringify(value);
    expect(scanText(text)).toEqual(parseText(text));
    expect(tokensOf(scanText(text))).toEqual({
      inputTokens: 4,
      outputTokens: 9,
      cacheReadTokens: 7,
      cacheWriteTokens: 30,
      cacheWrite5mTokens: 10,
      cacheWrite1hTokens: 20,
      webSearches: 2,
    });
    expect(scanText(text.replace('"assistant"', '"user"'))).toBe("none");
    expect(parsedLines).toBe(0);
  });

  it("says that what is no JSON is broken", () => {
    expect(scanText('{"type":"assistant","message":{"usage":{"output_tokens":1}}')).toBe("broken");
    expect(scanText('{"type":"assistant",,"message":{}}')).toBe("broken");
  });
});
