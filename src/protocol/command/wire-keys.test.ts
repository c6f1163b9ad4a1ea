import { expect, it } from "vitest";
import { fromWire, toWire } from "./wire-keys.ts";

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
