import { describe, expect, test } from "vitest";
import { SkeinError } from "../../core/index.ts";
import { errorEnvelope, successEnvelope, type EnvelopeSource } from "./envelope.ts";

const source = (version: EnvelopeSource["version"]): EnvelopeSource => ({ command: "log", format: "json", version });
const time = { timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/u) };

const FAILED = new SkeinError("The turn failed", {
  kind: "rate_limit",
  retryable: true,
  hint: "Wait.",
  target: "api",
  details: { retryAfterMs: 5, type: "overloaded" },
});

describe("an envelope of version 2", () => {
  test("has the data, or the error, in a field of its own", () => {
    const common = { ...time, command: "log", output_format: "json", schema_version: "2.0" };
    expect(successEnvelope(source("2"), { count: 0 })).toEqual({ ...common, exit_code: 0, data: { count: 0 } });
    expect(errorEnvelope(source("2"), FAILED, 1)).toEqual({
      ...common,
      exit_code: 1,
      error: {
        kind: "rate_limit",
        operation: "log",
        target: "api",
        retryable: true,
        message: "The turn failed",
        hint: "Wait.",
        retry_after_ms: 5,
        type: "overloaded",
      },
    });
  });
});

describe("an envelope of version 1", () => {
  const common = { ...time, command: "log", output_format: "json", schema_version: "1.0" };

  test("has the fields of the data beside the common ones, and the command as its kind", () => {
    expect(successEnvelope(source("1"), { turns: [], count: 0 })).toEqual({
      ...common,
      exit_code: 0,
      kind: "log",
      turns: [],
      count: 0,
    });
  });

  test("loses no field that has the name of a common one", () => {
    expect(successEnvelope(source("1"), { kind: "state", id: "a" })).toEqual({
      ...common,
      exit_code: 0,
      kind: "log",
      data_kind: "state",
      id: "a",
    });
  });

  test("is flat for an error too, which says so with its type, and what went wrong with its kind", () => {
    expect(errorEnvelope(source("1"), FAILED, 1)).toEqual({
      ...common,
      exit_code: 1,
      type: "error",
      kind: "rate_limit",
      error: "The turn failed",
      hint: "Wait.",
      target: "api",
      retryable: true,
      retry_after_ms: 5,
      data_type: "overloaded",
    });
  });

  test("has an empty hint where there is none", () => {
    const error = new SkeinError("No", { kind: "runtime" });
    expect(errorEnvelope(source("1"), error, 1)).toEqual({
      ...common,
      exit_code: 1,
      type: "error",
      kind: "runtime",
      error: "No",
      hint: null,
      target: null,
      retryable: false,
    });
  });
});
