import { expect, it } from "vitest";
import { z } from "zod";
import { ClaudeConfigError, ClaudeTimeoutError, SkeinError } from "../../core/internal.ts";
import type { Command } from "./command.ts";
import { speakError, speakEvent, type Speech } from "./speak-options.ts";

const args = z.object({
  maxCostUsd: z.number().optional(),
  timeout: z.number().optional(),
  record: z.boolean().default(true),
  model: z.string().optional(),
});
const command = { name: "run", summary: "", args, data: z.object({}) } as unknown as Command;
const told = (speech: Speech, error: SkeinError): unknown => {
  const { hint, target } = speakError(command, speech, error);
  return { hint, target };
};

it("names options as flags on a command line and as fields to a program", () => {
  const error = new SkeinError("m", { kind: "budget", target: "maxCostUsd", hint: "Raise `maxCostUsd`, or `record`." });
  expect(told("flags", error)).toEqual({ target: "--max-cost-usd", hint: "Raise --max-cost-usd, or --no-record." });
  expect(told("fields", error)).toEqual({ target: "max_cost_usd", hint: "Raise max_cost_usd, or record." });
  const late = new ClaudeTimeoutError("m", {
    target: "timeoutMs",
    hint: "Raise `timeoutMs`",
    timeoutMs: 5,
    reason: "turn",
  });
  expect(told("flags", late)).toEqual({ target: "--timeout", hint: "Raise --timeout" });
  expect(speakError(command, "fields", late)).toMatchObject({
    name: "ClaudeTimeoutError",
    timeoutMs: 5,
    reason: "turn",
    target: "timeout",
  });
});

it("keeps what an error tells beside them, a detail called `name` too", () => {
  const error = new SkeinError("m", {
    kind: "policy",
    hint: "Raise `timeout`",
    details: { name: "Bash", handled: false },
  });
  expect(speakError(command, "flags", error)).toMatchObject({
    hint: "Raise --timeout",
    details: { name: "Bash", handled: false },
  });
});

it("leaves alone what is no option of the command, and targets that only look like one", () => {
  const error = new SkeinError("m", { kind: "usage", target: "model", hint: "Run `claude`, or raise `maxDiskBytes`" });
  expect(speakError(command, "flags", error)).toBe(error);
  expect(told("flags", new ClaudeConfigError("m", { target: "model", option: "model" }))).toMatchObject({
    target: "--model",
  });
});

it("gives a program the field where a command names its flag", () => {
  expect(told("fields", new SkeinError("m", { kind: "usage", target: "--timeout" }))).toMatchObject({
    target: "timeout",
  });
});

it("says to a program in fields what a message says of flags", () => {
  const message = "--max-cost-usd and --no-record cannot be combined: --other is";
  const error = new SkeinError(message, { kind: "usage", target: "--max-cost-usd" });
  expect(speakError(command, "fields", error).message).toBe("max_cost_usd and record cannot be combined: --other is");
  expect(speakError(command, "flags", error).message).toBe(message);
  const other = new SkeinError("It said --timeout", { kind: "runtime" });
  expect(speakError(command, "fields", other)).toBe(other);
});

it("reaches errors inside of events", () => {
  const error = { kind: "budget", hint: "Raise `maxCostUsd`" };
  const speak = speakEvent(command, "flags");
  expect(speak({ type: "turn-end", result: { text: "", error } })).toEqual({
    type: "turn-end",
    result: { text: "", error: { kind: "budget", hint: "Raise --max-cost-usd" } },
  });
  expect(speak({ type: "error", error })).toEqual({
    type: "error",
    error: { kind: "budget", hint: "Raise --max-cost-usd" },
  });
  const other = { type: "text", text: "`maxCostUsd`" };
  expect(speak(other)).toBe(other);
});
