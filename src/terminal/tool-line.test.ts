import { expect, it } from "vitest";
import type { ToolEndEvent } from "../core/internal.ts";
import { describeTerminal } from "./terminal.ts";
import { toolLine } from "./tool-line.ts";

const terminal = describeTerminal({ stdin: {}, stdout: { columns: 60 }, env: {} });
const call = { type: "tool-end", timestamp: "", toolUseId: "1", tool: "Edit", isError: true, isDenied: false } as const;
const failed = (output: string): ToolEndEvent => ({ ...call, output, durationMs: 5 });

it("says why the CLI refused a call, without the marks that are for the model", () => {
  const output = "<tool_use_error>String to replace not found in file.\nString: Tee</tool_use_error>";
  expect(toolLine(failed(output), "a.txt", terminal)).toBe(
    "  ✗ Edit a.txt  5 ms\n    String to replace not found in file.\n",
  );
});

it("says the last thing that a failed command said", () => {
  expect(toolLine(failed("tried\nit failed\n"), "a.txt", terminal)).toBe("  ✗ Edit a.txt  5 ms\n    it failed\n");
});
