import { expect, it } from "vitest";
import type { ToolEndEvent } from "../core/internal.ts";
import { describeTerminal } from "./terminal.ts";
import { toolLine } from "./tool-line.ts";

const terminal = describeTerminal({ stdin: {}, stdout: { columns: 60 }, env: {} });
const end = { type: "tool-end", timestamp: "", toolUseId: "1", tool: "Write", isError: true, isDenied: false } as const;

it("says why a call failed, without the marks that the CLI sets for the model", () => {
  const output = "<tool_use_error>File has not been read yet.</tool_use_error>";
  const event: ToolEndEvent = { ...end, output, durationMs: 5 };
  expect(toolLine(event, "a.txt", terminal)).toBe("  ✗ Write a.txt  5 ms\n    File has not been read yet.\n");
});
