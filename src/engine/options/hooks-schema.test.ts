import { HOOK_EVENTS as KNOWN_TO_SDK } from "@anthropic-ai/claude-agent-sdk";
import { expect, test } from "vitest";
import { HOOK_EVENTS } from "./sdk-schemas.ts";

test("hooks are known by the events that the SDK knows", () => {
  expect(HOOK_EVENTS).toEqual(KNOWN_TO_SDK);
});
