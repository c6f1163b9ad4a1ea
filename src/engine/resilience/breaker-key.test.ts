import { expect, test } from "vitest";
import { breakerKey } from "./circuit-breaker.ts";

test.each([
  [{}, {}, "https://api.anthropic.com default"],
  [{ model: "opus" }, { ANTHROPIC_BASE_URL: "http://127.0.0.1:4000/" }, "http://127.0.0.1:4000 opus"],
  [{ env: { ANTHROPIC_BASE_URL: "http://b/v1" } }, { ANTHROPIC_BASE_URL: "http://a" }, "http://b/v1 default"],
  [{ model: "opus" }, { CLAUDE_CODE_USE_BEDROCK: "1" }, "bedrock opus"],
  [{}, { ANTHROPIC_BASE_URL: "https://ada:secret@gate/x?key=secret" }, "https://gate/x default"],
  [{}, { ANTHROPIC_BASE_URL: "secret" }, "unknown default"],
])("%j in %j is %s", (options, environment, key) => {
  expect(breakerKey(options, environment)).toBe(key);
});
