import { describe, expect, it } from "vitest";
import type * as errors from "./errors.ts";
import { ApiError } from "./errors.ts";
import { ClaudeAuthError } from "./errors.ts";
import { ClaudeConfigError } from "./errors.ts";
import { ClaudeNotFoundError } from "./errors.ts";
import { ClaudeTimeoutError } from "./errors.ts";
import { errorFromRecord } from "./errors.ts";
import { InvalidModelError } from "./errors.ts";
import { NetworkError } from "./errors.ts";
import { ProcessError } from "./errors.ts";
import { QuotaExceededError } from "./errors.ts";
import { RateLimitError } from "./errors.ts";
import { ResourceExhaustionError } from "./errors.ts";
import { SessionCorruptedError } from "./errors.ts";
import { SkeinError, toSkeinError } from "./errors.ts";

describe("SkeinError", () => {
  it("becomes data that holds what was given and nothing that was not", () => {
    const error = new SkeinError("No such folder", { kind: "filesystem", target: "/nowhere", hint: "Create it" });
    expect(error.toJSON()).toEqual({
      name: "SkeinError",
      kind: "filesystem",
      message: "No such folder",
      retryable: false,
      target: "/nowhere",
      hint: "Create it",
    });
    expect(JSON.parse(JSON.stringify(new SkeinError("Bad", { kind: "runtime" })))).toEqual({
      name: "SkeinError",
      kind: "runtime",
      message: "Bad",
      retryable: false,
    });
  });

  it("reduces a cause to its message, and keeps the cause itself on the error", () => {
    const cause = new Error("connect ECONNREFUSED");
    const error = new NetworkError("The API is out of reach", { cause });
    expect(error.cause).toBe(cause);
    expect(error.toJSON()).toMatchObject({ cause: "connect ECONNREFUSED" });
  });

  it("can be written as JSON whatever caused it", () => {
    const circular: { self?: unknown } = {};
    circular.self = circular;
    for (const cause of [circular, 10n, Symbol("odd"), () => 1, null]) {
      const error = new SkeinError("Bad", { kind: "runtime", cause });
      expect(JSON.parse(JSON.stringify(error))).toMatchObject({ kind: "runtime", message: "Bad" });
    }
  });

  it("adds the fields of its class to the data", () => {
    const error = new ProcessError("The CLI ended", { exitCode: 3, stderrTail: "boom", command: "claude" });
    expect(error.toJSON()).toEqual({
      name: "ProcessError",
      kind: "process",
      message: "The CLI ended",
      retryable: false,
      exitCode: 3,
      stderrTail: "boom",
      command: "claude",
    });
    expect(new RateLimitError("Slow down", { retryAfterMs: 1500 }).toJSON()).toMatchObject({ retryAfterMs: 1500 });
    expect(new ApiError("Overloaded", { kind: "overloaded", status: 529 }).toJSON()).toMatchObject({ status: 529 });
  });

  it("has what its class adds, and what it was given, as details", () => {
    const { details } = new RateLimitError("Slow down", { retryAfterMs: 1500, hint: "Wait", details: { turn: 1 } });
    const waitMs: number | undefined = details.retryAfterMs;
    expect([waitMs, details]).toEqual([1500, { retryAfterMs: 1500, turn: 1 }]);
  });

  it("keeps its own name and kind as data, whatever its details are called", () => {
    const error = new SkeinError("m", { kind: "policy", details: { name: "Bash", kind: "x", calls: 2 } });
    expect(error.toJSON()).toEqual({ name: "SkeinError", kind: "policy", message: "m", retryable: false, calls: 2 });
  });

  it.each([
    [new ApiError("m"), "ApiError", "server", false],
    [new ClaudeAuthError("m"), "ClaudeAuthError", "auth", false],
    [new ClaudeConfigError("m"), "ClaudeConfigError", "config", false],
    [new ClaudeNotFoundError("m"), "ClaudeNotFoundError", "cli_not_found", false],
    [new ClaudeTimeoutError("m"), "ClaudeTimeoutError", "timeout", true],
    [new InvalidModelError("m"), "InvalidModelError", "invalid_model", false],
    [new NetworkError("m"), "NetworkError", "network", true],
    [new ProcessError("m"), "ProcessError", "process", false],
    [new QuotaExceededError("m"), "QuotaExceededError", "quota", false],
    [new RateLimitError("m"), "RateLimitError", "rate_limit", true],
    [new ResourceExhaustionError("m"), "ResourceExhaustionError", "resource_exhausted", true],
    [new SessionCorruptedError("m"), "SessionCorruptedError", "session_corrupted", false],
  ])("is told apart by kind: %s", (error, name, kind, retryable) => {
    expect(error).toBeInstanceOf(SkeinError);
    expect({ name: error.name, kind: error.kind, retryable: error.retryable }).toEqual({ name, kind, retryable });
  });

  it("lets the thrower overrule the default for retrying", () => {
    expect(new RateLimitError("m", { retryable: false }).retryable).toBe(false);
    expect(new ProcessError("m", { retryable: true }).retryable).toBe(true);
  });
});

describe("an error of another copy of Skein", async () => {
  const copy = (await import(new URL("./errors.ts?copy", import.meta.url).href)) as typeof errors;

  it("is an instance of the classes that it has there, and of no other", () => {
    const error = new copy.RateLimitError("Slow down");
    expect(Object.getPrototypeOf(error)).not.toBe(RateLimitError.prototype);
    const classes = [SkeinError, RateLimitError, NetworkError, Error, TypeError];
    expect(classes.map((each) => error instanceof each)).toEqual([true, true, false, true, false]);
    expect(classes.map((each) => new copy.SkeinError("m", { kind: "rate_limit" }) instanceof each)).toEqual([
      true,
      false,
      false,
      true,
      false,
    ]);
  });

  it("is one of a class that somebody derived from ours", () => {
    class Own extends copy.NetworkError {}
    const error = new Own("Out of reach");
    expect([error instanceof NetworkError, error instanceof SkeinError, error instanceof RateLimitError]).toEqual([
      true,
      true,
      false,
    ]);
    class Ours extends SkeinError {}
    expect(new copy.SkeinError("m", { kind: "runtime" }) instanceof Ours).toBe(false);
  });

  it("is reported as it is", () => {
    const error = new copy.QuotaExceededError("No money", { status: 402 });
    expect(toSkeinError(error)).toBe(error);
    expect(error.toJSON()).toMatchObject({ name: "QuotaExceededError", kind: "quota", status: 402 });
  });
});

describe("toSkeinError", () => {
  it("gives a SkeinError back as it is", () => {
    const error = new ClaudeAuthError("No key");
    expect(toSkeinError(error)).toBe(error);
  });

  it("names an abort as cancelled", () => {
    expect(toSkeinError(AbortSignal.abort().reason)).toMatchObject({ kind: "cancelled" });
  });

  it("names a signal that ran out of time as timeout", async () => {
    const signal = AbortSignal.timeout(1);
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    expect(toSkeinError(signal.reason)).toMatchObject({ kind: "timeout" });
  });

  it.each([
    [new TypeError("x is not a function"), "x is not a function"],
    ["plain text", "plain text"],
    [undefined, "undefined"],
    [Object.create(null), "[Object: null prototype] {}"],
    [Symbol("odd"), "Symbol(odd)"],
  ])("wraps anything else that was thrown", (thrown, message) => {
    const error = toSkeinError(thrown);
    expect({ kind: error.kind, message: error.message, cause: error.cause }).toEqual({
      kind: "runtime",
      message,
      cause: thrown,
    });
  });
});

describe("errorFromRecord", () => {
  it.each([
    new ClaudeNotFoundError("m", { cliPath: "/bin/claude", hint: "h" }),
    new ClaudeAuthError("m", { status: 401, target: "t" }),
    new ClaudeConfigError("m", { option: "model", retryable: true }),
    new InvalidModelError("m", { model: "x" }),
    new RateLimitError("m", { status: 429, retryAfterMs: 7, retryable: false }),
    new QuotaExceededError("m", { status: 402 }),
    new ApiError("m", { kind: "overloaded", status: 529, retryable: true }),
    new NetworkError("m", { code: "ECONNREFUSED", cause: new Error("refused") }),
    new ClaudeTimeoutError("m", { timeoutMs: 5, reason: "idle" }),
    new ProcessError("m", { exitCode: 1, stderrTail: "t", command: "claude" }),
    new ResourceExhaustionError("m", { resource: "memory", limitedBy: "samples" }),
    new SessionCorruptedError("m", { sessionId: "s" }),
    new SkeinError("m", { kind: "budget" }),
  ])("gives back the class and the fields of $name", (error) => {
    const revived = errorFromRecord(JSON.parse(JSON.stringify(error)));
    expect(revived).toBeInstanceOf(error.constructor);
    expect(revived.toJSON()).toEqual(error.toJSON());
  });

  it("adds details to those of the record", () => {
    const record = new RateLimitError("m", { status: 429 }).toJSON();
    expect(errorFromRecord(record, { name: "x", turn: 1 }).details).toEqual({ status: 429, name: "x", turn: 1 });
  });

  it("keeps the name and the fields of a class it does not have", () => {
    const record = { name: "Other", kind: "overloaded", message: "m", retryable: true, breaker: "b" } as const;
    const revived = errorFromRecord(record);
    expect(revived).toBeInstanceOf(SkeinError);
    expect(revived.toJSON()).toEqual(record);
  });
});
