import { expect, it } from "vitest";
import { z } from "zod";
import { asData, fromWire, toWire } from "./wire-keys.ts";

const EVENT = {
  type: "turn-end",
  sessionId: "s",
  raw: { modelUsage: { "claude-X_y": { inputTokens: 1 } }, session_id: "s" },
  result: {
    usageByModel: { "claude-X_y": { inputTokens: 1, costUsd: 0.1 } },
    permissionDenials: [{ toolUseId: "1", tool: "Bash", input: { dangerouslyDisableSandbox: true } }],
    structuredOutput: { isReady: true },
    durationApiMs: 3,
  },
};

it("renames Skein's own keys, and nothing of the SDK, of tools or of models", () => {
  expect(toWire(EVENT)).toEqual({
    type: "turn-end",
    session_id: "s",
    raw: EVENT.raw,
    result: {
      usage_by_model: { "claude-X_y": { input_tokens: 1, cost_usd: 0.1 } },
      permission_denials: [{ tool_use_id: "1", tool: "Bash", input: { dangerouslyDisableSandbox: true } }],
      structured_output: { isReady: true },
      duration_api_ms: 3,
    },
  });
});

it("gives back what was sent", () => {
  expect(fromWire(toWire(EVENT))).toEqual(EVENT);
});

it("makes data of a record: the schema's fields in all depths, and null for what is missing", () => {
  const Data = z.strictObject({
    session_id: z.string(),
    cache_write_5m_tokens: z.int(),
    stop_reason: z.string().nullable(),
    files: z.array(z.strictObject({ is_gone: z.boolean() })),
    usage: z.strictObject({ cost_usd: z.number() }).nullable(),
    input: z.unknown(),
    fix: z.string().optional(),
    place: z.strictObject({ line_number: z.int() }).optional(),
  });
  const record = {
    sessionId: "s",
    cacheWrite5mTokens: 1,
    files: [{ isGone: true, path: "a" }],
    usage: { costUsd: 0, model: "m" },
    input: { filePath: "a" },
    place: { lineNumber: 1 },
    isKeptToItself: true,
  };
  const { usage: _, place: __, ...unused } = record;
  const data = { session_id: "s", cache_write_5m_tokens: 1, stop_reason: null, files: [{ is_gone: true }] };
  expect([asData(Data, record), asData(Data, unused)]).toEqual([
    { ...data, usage: { cost_usd: 0 }, input: { filePath: "a" }, place: { line_number: 1 } },
    { ...data, usage: null, input: { filePath: "a" } },
  ]);
});
