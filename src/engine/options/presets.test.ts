import { describe, expect, test } from "vitest";
import {
  createDevelopmentOptions,
  createDualAgentOptions,
  createProductionOptions,
  createStreamingOptions,
  type AgentRole,
} from "./presets.ts";

describe("the presets", () => {
  test("have these values", () => {
    expect(createDevelopmentOptions()).toEqual({
      tools: ["Read", "Write", "Edit", "Bash"],
      permissionMode: "acceptEdits",
      maxResponses: 20,
      timeoutMs: 600_000,
      includeHookEvents: true,
      forwardSubagentText: true,
    });
    expect(createProductionOptions()).toEqual({
      tools: ["Read", "Write"],
      permissionMode: "acceptEdits",
      maxResponses: 5,
      timeoutMs: 120_000,
      includePartialMessages: false,
    });
    expect(createDualAgentOptions("manager")).toEqual({
      tools: ["Agent", "TaskCreate", "TaskGet", "TaskList", "TaskUpdate"],
      permissionMode: "default",
      maxResponses: 15,
      timeoutMs: 300_000,
    });
    expect(createDualAgentOptions("worker")).toEqual({
      tools: ["Read", "Write", "Edit", "Bash"],
      permissionMode: "acceptEdits",
      maxResponses: 10,
      timeoutMs: 300_000,
    });
    expect(createStreamingOptions()).toEqual({
      includePartialMessages: true,
      forwardSubagentText: true,
      timeoutMs: 300_000,
    });
  });

  test("take what the caller says instead, and leave the next call as it was", () => {
    const options = createProductionOptions({ maxResponses: 9, cwd: "/tmp", tools: ["Read"] });
    expect(options).toEqual({ ...createProductionOptions(), maxResponses: 9, cwd: "/tmp", tools: ["Read"] });
    expect(createProductionOptions().maxResponses).toBe(5);
  });

  test("check what the caller says", () => {
    expect(() => createStreamingOptions({ maxResponses: -1 })).toThrow("maxResponses is -1; it must be above 0");
    expect(() => createDualAgentOptions("boss" as AgentRole)).toThrow("role is boss; it must be manager or worker");
  });
});
